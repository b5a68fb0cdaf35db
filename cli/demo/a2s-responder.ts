import type { FakeState } from './fake-server.ts';

// The A2S protocol. All numbers are little-endian: https://developer.valvesoftware.com/wiki/Server_queries
const SINGLE = Buffer.from([0xff, 0xff, 0xff, 0xff]);
const INFO_REQUEST = Buffer.from('TSource Engine Query\0', 'latin1');
const NO_CHALLENGE = 0xffffffff;
/** Maximum number of players in a reply, so that the reply fits into one datagram. */
const MAX_LISTED = 40;

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`, 'utf8');
}

function challengeReply(challenge: number): Buffer {
  const reply = Buffer.alloc(9);
  SINGLE.copy(reply);
  reply.write('A', 4, 'latin1');
  reply.writeUInt32LE(challenge, 5);
  return reply;
}

function infoReply(state: FakeState): Buffer {
  return Buffer.concat([
    SINGLE,
    Buffer.from([0x49, 17]),
    text(state.name),
    text(state.map),
    text('demo'),
    text('Demo'),
    // Fields of A2S_INFO: application id (two bytes), number of players, maximum number of players, number of bots.
    Buffer.from([0, 0, state.players.length, state.maxplayers, 0]),
    // Fields of A2S_INFO: `d` for a dedicated server, `l` for Linux.
    Buffer.from('dl', 'latin1'),
    // Fields of A2S_INFO: whether the server has a password, and whether it uses VAC, Valve's anti-cheat system.
    Buffer.from([state.password ? 1 : 0, 0]),
    text(state.version),
    // Extra data flag, a field of the A2S_INFO reply. The value 0 means that no optional fields follow.
    Buffer.from([0]),
  ]);
}

function playersReply(state: FakeState, now: number): Buffer {
  const listed = state.players.slice(0, MAX_LISTED);
  const entries = listed.map((player, index) => {
    const numbers = Buffer.alloc(8);
    numbers.writeInt32LE(player.score, 0);
    numbers.writeFloatLE((now - player.joinedAt) / 1000, 4);
    return Buffer.concat([Buffer.from([index]), text(player.name), numbers]);
  });
  return Buffer.concat([SINGLE, Buffer.from([0x44, listed.length]), ...entries]);
}

/**
 * Returns the reply to an A2S_INFO or A2S_PLAYER datagram; undefined if a real server would not reply. `challenge`:
 * 32-bit number that the sender must repeat. It must not be 0xffffffff, because clients send this value to request a
 * challenge.
 */
export function respondA2s(
  state: FakeState,
  request: Buffer,
  challenge: number,
  now: number,
): Buffer | undefined {
  if (request.length > 64 || !request.subarray(0, 4).equals(SINGLE)) return undefined;
  const body = request.subarray(4);
  if (body.subarray(0, INFO_REQUEST.length).equals(INFO_REQUEST)) {
    const given = body.subarray(INFO_REQUEST.length);
    return given.length >= 4 && given.readUInt32LE() === challenge
      ? infoReply(state)
      : challengeReply(challenge);
  }
  if (body[0] === 0x55 && body.length >= 5) {
    const given = body.readUInt32LE(1);
    if (given === challenge) return playersReply(state, now);
    return given === NO_CHALLENGE || given === 0 ? challengeReply(challenge) : undefined;
  }
  return undefined;
}
