import { crc32 } from 'node:zlib';
import type { FleetServer, Responder } from '../responder.ts';

const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const RULES = Buffer.from('\xff\xff\xff\xffV', 'latin1');
const PLAYER = Buffer.from('\xff\xff\xff\xffU', 'latin1');
const CHALLENGE_BYTES = 4;
/** Maximum packet size of the Source engine in bytes, including the header. */
const SPLIT_BYTES = 1248;
const PART_HEADER = 12;

/** Returns the server variables in an A2S_RULES reply, keyed by name. */
export type RulesOf = (server: FleetServer) => Record<string, string | number>;

/**
 * Returns a fake server that answers like the Source engine since 2020. Every request needs a challenge, and long
 * replies are split into packets. `claimed` returns values for A2S_INFO that replace the real values of the server.
 */
export function a2sServer(claimed: (server: FleetServer) => Partial<FleetServer>, rules: RulesOf): Responder {
  return {
    transport: 'udp',
    respond: (server, request) => {
      if (startsWith(request, INFO)) {
        const info = () => infoReply({ ...server, ...claimed(server) });
        return answer(server, request.subarray(INFO.length), info);
      }
      if (startsWith(request, PLAYER)) return answer(server, request.subarray(PLAYER.length), playerReply);
      if (startsWith(request, RULES))
        return answer(server, request.subarray(RULES.length), () => rulesReply(rules(server)));
      return [];
    },
  };
}

/** Fake server of the Source engine with a correct A2S_INFO reply. */
export const responder: Responder = a2sServer(
  () => ({}),
  () => ({ sv_gravity: 800, mp_teamplay: 0 }),
);

function rulesReply(rules: Record<string, string | number>): Buffer {
  const entries = Object.entries(rules);
  const count = Buffer.alloc(2);
  count.writeUInt16LE(entries.length);
  const pairs = entries.flatMap(([key, value]) => [cstring(key), cstring(String(value))]);
  return Buffer.concat([Buffer.from('\xff\xff\xff\xffE', 'latin1'), count, ...pairs]);
}

/**
 * Builds an A2S_PLAYER reply, which is the same for the engines Source and GoldSrc. The player count is one byte, so
 * the list has at most 255 players.
 */
export function playerReply(server: FleetServer): Buffer {
  const players = server.players.slice(0, 255).map(({ name, score, time }, index) => {
    const facts = Buffer.alloc(8);
    facts.writeInt32LE(score, 0);
    facts.writeFloatLE(time, 4);
    return Buffer.concat([Buffer.of(index), cstring(name), facts]);
  });
  return Buffer.concat([Buffer.from('\xff\xff\xff\xffD', 'latin1'), Buffer.of(players.length), ...players]);
}

/** Encodes a text, and adds a zero byte at the end. */
export function cstring(text: string): Buffer {
  return Buffer.from(`${text.replaceAll('\0', '')}\0`);
}

function answer(server: FleetServer, challenge: Buffer, reply: (server: FleetServer) => Buffer): Buffer[] {
  const expected = Buffer.alloc(CHALLENGE_BYTES);
  expected.writeUInt32LE(crc32(`${server.name}:${server.port}`));
  if (!challenge.equals(expected))
    return [Buffer.concat([Buffer.from('\xff\xff\xff\xffA', 'latin1'), expected])];
  return split(reply(server), expected.readInt32LE() & 0x7fffffff);
}

function infoReply(server: FleetServer): Buffer {
  const extra = Buffer.alloc(3);
  extra.writeUInt8(0x80, 0);
  extra.writeUInt16LE(server.port, 1);
  return Buffer.concat([
    Buffer.from('\xff\xff\xff\xffI\x11', 'latin1'),
    ...[server.name, server.map, 'tf', 'Team Fortress'].map(cstring),
    Buffer.of(
      440 & 0xff,
      440 >> 8,
      Math.min(server.players.length, 255),
      Math.min(server.maxplayers, 255),
      0,
    ),
    Buffer.from('dl'),
    Buffer.of(server.password ? 1 : 0, 1),
    cstring(server.version),
    extra,
  ]);
}

function split(reply: Buffer, id: number): Buffer[] {
  if (reply.length <= SPLIT_BYTES) return [reply];
  const size = SPLIT_BYTES - PART_HEADER;
  const total = Math.ceil(reply.length / size);
  return Array.from({ length: total }, (_, number) => {
    const header = Buffer.alloc(PART_HEADER);
    header.writeInt32LE(-2, 0);
    header.writeInt32LE(id, 4);
    header.writeUInt8(total, 8);
    header.writeUInt8(number, 9);
    header.writeUInt16LE(SPLIT_BYTES, 10);
    return Buffer.concat([header, reply.subarray(number * size, (number + 1) * size)]);
  });
}

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.subarray(0, beginning.length).equals(beginning);
}
