import type { FakeState } from './fake-server.ts';

// The unconnected ping and pong of RakNet. All numbers are big-endian: https://minecraft.wiki/w/RakNet
const MAGIC = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
const PING = 0x01;
const PONG = 0x1c;
const PING_LENGTH = 33;

/**
 * Returns the reply to an unconnected ping, which is the status query of Minecraft Bedrock. Returns undefined if a real
 * server would not reply. `guid` identifies the server in the reply.
 */
export function respondBedrock(
  state: FakeState,
  request: Buffer,
  guid: bigint,
  port: number,
): Buffer | undefined {
  if (request.length < PING_LENGTH || request[0] !== PING) return undefined;
  if (!request.subarray(9, 25).equals(MAGIC)) return undefined;
  const facts = [
    'MCPE',
    state.name.replaceAll(';', ' '),
    818,
    state.version,
    state.players.length,
    state.maxplayers,
    guid,
    state.map.replaceAll(';', ' '),
    'Survival',
    1,
    port,
    port,
  ];
  const status = Buffer.from(`${facts.join(';')};`, 'utf8');
  const head = Buffer.alloc(17);
  head[0] = PONG;
  request.copy(head, 1, 1, 9);
  head.writeBigUInt64BE(guid, 9);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(status.length);
  return Buffer.concat([head, MAGIC, length, status]);
}
