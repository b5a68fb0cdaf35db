import { respondA2s } from '../../cli/demo/a2s-responder.ts';
import { type FakeState, setPlayers } from '../../cli/demo/fake-server.ts';

const CHALLENGE = 0x44332211;
const NO_CHALLENGE = 0xffffffff;
const JOINED_AT = Date.UTC(2026, 0, 1);
const PLAYERS = 3;
const INFO_BYTES = 25;
const KIND_AT = 4;
const INFO = 0x54;
const PLAYER = 0x55;

const question = (text: string, challenge: number): Buffer => {
  const packet = Buffer.alloc(text.length + 8, 0xff);
  packet.write(text, 4, 'latin1');
  packet.writeUInt32LE(challenge, text.length + 4);
  return packet;
};
const INFO_QUESTION = question('TSource Engine Query\0', CHALLENGE);
const PLAYER_QUESTION = question('U', CHALLENGE);

function reply(state: FakeState, packet: Buffer, isStatus: boolean): Reply {
  const bytes = respondA2s(state, packet, CHALLENGE, JOINED_AT);
  if (!bytes) throw new Error('the made-up server does not answer its own question');
  return { bytes, isStatus };
}

export interface Reply {
  bytes: Buffer;
  /**
   * True if a reply proves that the game server itself runs. A challenge proves nothing, because a firewall in front of
   * a stopped server can send it.
   */
  isStatus: boolean;
}

/**
 * Builds all replies of one fake A2S server once: the info with and without players, the player list, and the
 * challenge.
 */
export class A2sReplies {
  readonly #challenge: Reply;
  readonly #empty: Reply;
  readonly #played: Reply;
  readonly #players: Reply;

  constructor(name: string, map: string) {
    const state: FakeState = { name, map, version: '1.0', maxplayers: 16, password: false, players: [] };
    this.#challenge = reply(state, question('U', NO_CHALLENGE), false);
    this.#empty = reply(state, INFO_QUESTION, true);
    setPlayers(state, PLAYERS, JOINED_AT);
    this.#played = reply(state, INFO_QUESTION, true);
    this.#players = reply(state, PLAYER_QUESTION, true);
  }

  /** Returns the reply of a Source server to a packet. Returns undefined if the server ignores the packet. */
  to(packet: Buffer, isEmpty: boolean): Reply | undefined {
    const kind = packet[KIND_AT];
    if (kind === INFO && packet.length === INFO_BYTES) return this.#challenge;
    if (kind !== INFO && kind !== PLAYER) return undefined;
    if (packet.readUInt32LE(packet.length - 4) !== CHALLENGE) return this.#challenge;
    if (kind === PLAYER) return this.#players;
    return isEmpty ? this.#empty : this.#played;
  }
}
