// The status query of Minecraft Java Edition, called "server list ping":
// https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping

import { encodeVarint32, readVarint32 } from '../../runtime/varint.ts';
import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { AwaitedBytes } from './awaited-bytes.ts';
import { decodeText } from './byte-reader.ts';
import { flattenChat } from './minecraft-chat.ts';
import { minecraftLegacy } from './minecraft-legacy.ts';
import {
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  type StreamExchange,
  strictly,
} from './protocol.ts';

/**
 * The protocol number of Minecraft 1.8, which every proxy and mod loader knows. A server replies with its own version,
 * even if the request contains a different protocol number.
 */
const PROTOCOL_VERSION = 47;
const NEXT_STATE_STATUS = 1;
const STATUS_REQUEST = Buffer.from([1, 0]);
/** Maximum size of a reply, bytes. It suffices for a server icon and a long list of mods. */
const MAX_BYTES = 256 * 1024;
const MAX_HOST_BYTES = 255;
const MAX_SAMPLE = 255;
/**
 * First two bytes of the kick message that servers before Minecraft 1.7 send. They identify such a server: a reply of a
 * later server never starts with these bytes.
 */
const LEGACY_KICK = Buffer.from([0xff, 0]);

class MinecraftExchange implements StreamExchange {
  readonly #context: ExchangeContext;
  readonly #bytes = new AwaitedBytes();

  constructor(context: ExchangeContext) {
    this.#context = context;
  }

  request(): Buffer[] {
    const host = Buffer.from(this.#context.host, 'utf8').subarray(0, MAX_HOST_BYTES);
    const handshake = Buffer.concat([
      encodeVarint32(0),
      encodeVarint32(PROTOCOL_VERSION),
      encodeVarint32(host.length),
      host,
      Buffer.from([this.#context.port >> 8, this.#context.port & 0xff]),
      encodeVarint32(NEXT_STATE_STATUS),
    ]);
    // Sends the Minecraft handshake and the status request in one write, because some proxies drop a handshake that
    // arrives alone.
    return [Buffer.concat([encodeVarint32(handshake.length), handshake, STATUS_REQUEST])];
  }

  receive(chunk: Buffer): Step {
    const bytes = this.#bytes.addBytes(chunk);
    return bytes ? strictly(() => this.#read(bytes)) : MORE;
  }

  partial(): RawStatus | undefined {
    return undefined;
  }

  #read(bytes: Buffer): Step {
    if (bytes.subarray(0, LEGACY_KICK.length).equals(LEGACY_KICK)) {
      throw new MalformedReply('kicks as servers before 1.7 do');
    }
    const length = readVarInt(bytes, 0);
    if (!length) return MORE;
    if (length.value < 1 || length.value > MAX_BYTES)
      throw new MalformedReply(`a packet of ${length.value} bytes`);
    const end = length.next + length.value;
    if (bytes.length >= end) return { kind: 'done', status: parsePacket(bytes.subarray(length.next, end)) };
    this.#bytes.await(bytes, end);
    return MORE;
  }
}

/**
 * Reads the VarInt at the offset `at`. Returns undefined if bytes are missing. Throws MalformedReply if the VarInt has
 * more than five bytes: https://minecraft.wiki/w/Java_Edition_protocol/Data_types#VarInt_and_VarLong
 */
function readVarInt(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  try {
    return readVarint32(bytes, at);
  } catch (error) {
    if (error instanceof RangeError) throw new MalformedReply('a VarInt without end');
    throw error;
  }
}

function parsePacket(packet: Buffer): RawStatus {
  const id = readVarInt(packet, 0);
  const length = id && readVarInt(packet, id.next);
  if (!id || !length) throw new MalformedReply('a packet without its header');
  if (id.value !== 0) throw new MalformedReply(`packet ${id.value} in place of a status`);
  // The JSON text of a reply can be shorter than its packet, because some mods append data after the text.
  const text = packet.subarray(length.next, length.next + length.value);
  if (length.value < 0 || text.length !== length.value)
    throw new MalformedReply('a text longer than its packet');
  let json: unknown;
  try {
    json = JSON.parse(decodeText(text));
  } catch {
    throw new MalformedReply('a status that is not JSON');
  }
  return readStatus(json);
}

function readStatus(json: unknown): RawStatus {
  const description = field(json, 'description');
  const players = field(json, 'players') ?? undefined;
  const version = field(field(json, 'version'), 'name');
  // A valid status contains at least one of description, players and version.
  if (description === undefined && players === undefined && version === undefined)
    throw new MalformedReply('JSON that is no status');
  const status: RawStatus = { name: flattenChat(description) };
  if (typeof version === 'string') status.version = version;
  if (players === undefined) return status;
  status.players = count(players, 'online');
  status.maxplayers = count(players, 'max');
  status.playerList = readSample(field(players, 'sample'));
  return status;
}

function field(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined;
  return Reflect.get(object, key);
}

function count(players: unknown, key: string): number {
  const value = field(players, key);
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new MalformedReply(`no number players.${key}`);
  return value;
}

/**
 * Reads the names of some players (the `sample` in the JSON of the status). The server decides how many names it sends.
 */
function readSample(sample: unknown): RawPlayer[] {
  if (!Array.isArray(sample)) return [];
  const names = sample.slice(0, MAX_SAMPLE).map(entry => field(entry, 'name'));
  return names.filter(name => typeof name === 'string').map(name => ({ name }));
}

/** The protocol of Minecraft Java Edition since version 1.7. */
export const minecraft: Protocol = {
  transport: 'tcp',
  colours: 'section',
  older: minecraftLegacy,
  open: context => new MinecraftExchange(context),
};
