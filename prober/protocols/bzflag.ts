// The status messages of BZFlag servers for clients that have not joined. Source: `MsgQueryGame` and `MsgQueryPlayers`
// in include/Protocol.h and src/bzfs/bzfs.cxx of https://github.com/BZFlag-Dev/bzflag. The requests are those of
// misc/bzfquery.pl in the same repository.

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { AwaitedBytes } from './awaited-bytes.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';

const GREETING = Buffer.from('BZFLAG\r\n\r\n');
/**
 * The greeting of a BZFlag 2.4 server. The byte after the greeting is the number of the connection, or 255 if the
 * server is full.
 */
const HELLO = 'BZFS0221';
const HELLO_BYTES = HELLO.length + 1;
const REJECTED = 255;

/**
 * Length of the header of a BZFlag message, bytes. The header contains the length of the body, and the message name of
 * two letters.
 */
const HEADER_BYTES = 4;
const QUERY_GAME = 'qg';
const QUERY_PLAYERS = 'qp';
const ADD_PLAYER = 'ap';
const QUESTIONS = Buffer.from(`\0\0${QUERY_GAME}\0\0${QUERY_PLAYERS}`);

/** Number of teams in BZFlag: four teams with a colour, the players without a team (rogues), and the observers. */
const TEAMS = 6;
const NAME_BYTES = 32;
const MOTTO_BYTES = 128;
/** Maximum number of players that BZFlag allows. */
const MAX_PLAYERS = 255;
/** Maximum number of messages in one BZFlag query. It is enough for all replies and 64 broadcast messages. */
const MAX_MESSAGES = 3 + MAX_PLAYERS + 64;

class BzflagExchange implements StreamExchange {
  readonly #bytes = new AwaitedBytes();
  #greeted = false;
  #messages = 0;
  #status: RawStatus | undefined;
  /** Length of the player list, as announced by the server. Undefined until the announcement arrives. */
  #announced: number | undefined;
  readonly #players: RawPlayer[] = [];

  request(): Buffer[] {
    return [GREETING];
  }

  receive(chunk: Buffer): Step {
    const bytes = this.#bytes.addBytes(chunk);
    if (!bytes) return MORE;
    const step = strictly(() => (this.#greeted ? this.#readMessages(bytes) : this.#readHello(bytes)));
    // If the player list is malformed, gsq reports the status without a player list.
    if (step.kind === 'malformed' && this.#status) return { kind: 'done', status: this.#status };
    return step;
  }

  partial(): RawStatus | undefined {
    return this.#status;
  }

  #readHello(bytes: Buffer): Step {
    const start = bytes.toString('latin1', 0, HELLO.length);
    if (!HELLO.startsWith(start)) throw new MalformedReply(`${JSON.stringify(start)} in place of ${HELLO}`);
    if (bytes.length < HELLO_BYTES) {
      this.#bytes.await(bytes, HELLO_BYTES);
      return MORE;
    }
    if (bytes[HELLO.length] === REJECTED) throw new MalformedReply('the server takes no more connections');
    this.#greeted = true;
    this.#bytes.await(bytes.subarray(HELLO_BYTES), HEADER_BYTES);
    return { kind: 'send', packets: [QUESTIONS] };
  }

  #readMessages(bytes: Buffer): Step {
    let at = 0;
    let end = HEADER_BYTES;
    while (bytes.length >= end) {
      end = at + HEADER_BYTES + bytes.readUInt16BE(at);
      if (bytes.length < end) break;
      const name = bytes.toString('latin1', at + 2, at + HEADER_BYTES);
      this.#take(name, new ByteReader(bytes.subarray(at + HEADER_BYTES, end)));
      if (this.#status && this.#players.length === this.#announced)
        return { kind: 'done', status: { ...this.#status, playerList: this.#players } };
      at = end;
      end += HEADER_BYTES;
    }
    this.#bytes.await(bytes.subarray(at), end - at);
    return MORE;
  }

  /** Reads one BZFlag message. Ignores messages that the server sends to every client, such as the game time. */
  #take(name: string, body: ByteReader): void {
    if (++this.#messages > MAX_MESSAGES) throw new MalformedReply(`more than ${MAX_MESSAGES} messages`);
    if (name === QUERY_GAME) this.#status = parseGame(body);
    else if (name === QUERY_PLAYERS) this.#announced = parseAnnouncement(body);
    else if (name === ADD_PLAYER) this.#players.push(parsePlayer(body));
  }
}

function parseGame(body: ByteReader): RawStatus {
  body.skip(2 + 2); // unused fields: game style, options
  const maxplayers = body.u16be();
  body.skip(2); // unused field: maximum number of shots
  let players = 0;
  for (let team = 0; team < TEAMS; team++) players += body.u16be();
  body.skip(TEAMS * 2); // unused fields: maximum number of players in each team
  body.skip(2 + 2); // unused fields: rules for dropping a flag
  body.skip(2 + 2 + 2 + 2); // unused fields: score limits, time limit, elapsed time
  body.end();
  if (players > MAX_PLAYERS) throw new MalformedReply(`${players} players`);
  return { name: '', players, maxplayers };
}

function parseAnnouncement(body: ByteReader): number {
  body.skip(2); // unused field: number of teams
  const players = body.u16be();
  body.end();
  if (players > MAX_PLAYERS) throw new MalformedReply(`${players} players`);
  return players;
}

function parsePlayer(body: ByteReader): RawPlayer {
  body.skip(1 + 2 + 2); // unused fields: player number, player type, team
  const won = body.u16be();
  const lost = body.u16be();
  body.skip(2); // unused field: number of kills in the player's own team
  const name = body.bytes(NAME_BYTES);
  body.skip(MOTTO_BYTES);
  body.end();
  const end = name.indexOf(0);
  return { name: decodeText(end < 0 ? name : name.subarray(0, end)), score: won - lost };
}

/**
 * The protocol of BZFlag 2.4. A server sends its name only to the public server list, so the status has no name.
 */
export const bzflag: Protocol = { transport: 'tcp', colours: 'none', open: () => new BzflagExchange() };
