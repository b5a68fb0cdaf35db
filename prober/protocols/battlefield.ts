// The remote administration protocol of the Frostbite engine, used without a login. Source: "BF3 PC Server Remote
// Administration Protocol" at https://fdocuments.us/document/bf3-pc-server-remote-administration-protocol.html. Source
// for Bad Company 2: Client/bfbc2/BFBC2Widget.cpp of https://github.com/OpenRcon/OpenRcon

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { AwaitedBytes } from './awaited-bytes.ts';
import { ByteReader, decodeText } from './byte-reader.ts';
import {
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  type StreamExchange,
  strictly,
} from './protocol.ts';

const HEADER_BYTES = 12;
/**
 * Maximum size of a packet, bytes. It is four times the protocol's limit of 16 KiB, because mods list up to 128
 * players.
 */
const MAX_PACKET_BYTES = 64 * 1024;
const RESPONSE = 0x40000000;
const SEQUENCE_BITS = 0x3fffffff;

const MAX_PLAYERS = 1024;
const MAX_FIELDS = 32;
const MAX_TEAMS = 32;
/**
 * Index of the team count in the fields of a serverInfo reply. The fields before it are name, players, player slots,
 * mode, map, round and rounds.
 */
const AT_TEAMS = 7;
/**
 * Names of mods of Bad Company 2. gsq recognises a serverInfo reply of Bad Company 2 by such a name. In this reply, the
 * mod name and one more field come before the server address. Replies of the other games do not have these two fields.
 */
const BAD_COMPANY_MODS = ['BC2', 'VIETNAM'];
const GAME_ADDRESS = /:(\d{1,5})$/;
const WHOLE_NUMBER = /^\d{1,9}$/;
const SCORE = /^-?\d{1,10}$/;

type Question = 'serverInfo' | 'version' | 'listPlayers';

class BattlefieldExchange implements StreamExchange {
  readonly #bytes = new AwaitedBytes();
  readonly #firstSequence: number;
  /**
   * The commands that gsq has sent in this query, such as `serverInfo`. They are in the order of their sequence
   * numbers.
   */
  readonly #asked: Question[] = [];
  readonly #answered = new Set<Question>();
  #status: RawStatus | undefined;
  #version: string | undefined;

  constructor({ nonce }: ExchangeContext) {
    this.#firstSequence = Number(nonce & BigInt(SEQUENCE_BITS));
  }

  request(): Buffer[] {
    return [this.#ask('serverInfo'), this.#ask('version')];
  }

  receive(chunk: Buffer): Step {
    let rest = this.#bytes.addBytes(chunk);
    if (!rest) return MORE;
    for (;;) {
      const size = rest.length < HEADER_BYTES ? HEADER_BYTES : rest.readUInt32LE(4);
      if (size < HEADER_BYTES || size > MAX_PACKET_BYTES) return this.#fail(`a packet of ${size} bytes`);
      if (rest.length < size) {
        this.#bytes.await(rest, size);
        return MORE;
      }
      const packet = rest.subarray(0, size);
      rest = rest.subarray(size);
      const step = strictly(() => this.#readPacket(packet));
      if (step.kind === 'malformed') return this.#fail(step.reason);
      if (step.kind !== 'more') {
        this.#bytes.await(rest, HEADER_BYTES);
        return step;
      }
    }
  }

  partial(): RawStatus | undefined {
    if (!this.#status || this.#version === undefined) return this.#status;
    return { ...this.#status, version: this.#version };
  }

  /**
   * Ends the query because a reply is malformed. If the reply to `serverInfo` has already arrived, returns a status
   * with the data received so far.
   */
  #fail(reason: string): Step {
    const status = this.partial();
    return status ? { kind: 'done', status } : { kind: 'malformed', reason };
  }

  #ask(question: Question): Buffer {
    const words = question === 'listPlayers' ? [question, 'all'] : [question];
    this.#asked.push(question);
    return encodePacket(this.#sequenceOf(this.#asked.length - 1), words);
  }

  #sequenceOf(index: number): number {
    return (this.#firstSequence + index) & SEQUENCE_BITS;
  }

  #readPacket(packet: Buffer): Step {
    const sequence = packet.readUInt32LE(0);
    // Ignores messages that are not responses: some servers send event messages on every connection.
    if ((sequence & RESPONSE) === 0) return MORE;
    const question = this.#asked.find((_, i) => this.#sequenceOf(i) === (sequence & SEQUENCE_BITS));
    if (!question || this.#answered.has(question)) return MORE;
    this.#answered.add(question);
    const [verdict, ...words] = readWords(packet);
    if (question === 'serverInfo') {
      if (verdict !== 'OK') throw new MalformedReply(`serverInfo: ${verdict}`);
      this.#status = readServerInfo(words);
    } else if (question === 'version') {
      this.#version = verdict === 'OK' ? words[1] : undefined; // The version follows the name of the game.
    } else if (verdict === 'OK' && this.#status) {
      this.#status = { ...this.#status, playerList: readPlayers(words) };
    }
    return this.#next();
  }

  #next(): Step {
    const status = this.partial();
    if (!status || this.#answered.size < this.#asked.length) return MORE;
    if (status.players === 0 || this.#answered.has('listPlayers')) return { kind: 'done', status };
    return { kind: 'send', packets: [this.#ask('listPlayers')] };
  }
}

function encodePacket(sequence: number, words: string[]): Buffer {
  const body = words.map(word => {
    const bytes = Buffer.alloc(4 + word.length + 1);
    bytes.writeUInt32LE(word.length);
    bytes.write(word, 4, 'latin1');
    return bytes;
  });
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(sequence, 0);
  header.writeUInt32LE(
    body.reduce((sum, word) => sum + word.length, HEADER_BYTES),
    4,
  );
  header.writeUInt32LE(words.length, 8);
  return Buffer.concat([header, ...body]);
}

function readWords(packet: Buffer): string[] {
  const reader = new ByteReader(packet, 8);
  const words: string[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    words.push(decodeText(reader.bytes(reader.u32())));
    if (reader.u8() !== 0) throw new MalformedReply('a word that does not end with a zero');
  }
  reader.end();
  return words;
}

function readServerInfo(words: string[]): RawStatus {
  const [name, players, maxplayers, , map] = words;
  if (name === undefined || map === undefined)
    throw new MalformedReply(`serverInfo of ${words.length} words`);
  const status: RawStatus = {
    name,
    map,
    players: wholeNumber(players, 1_000_000),
    maxplayers: wholeNumber(maxplayers, 1_000_000),
  };
  // In a serverInfo reply, the team count and the fields after it are optional, because they depend on the game and its
  // release.
  if (words.length <= AT_TEAMS) return status;
  const scores = wholeNumber(words[AT_TEAMS], MAX_TEAMS);
  if (words.length <= AT_TEAMS + scores) throw new MalformedReply(`fewer than ${scores} scores`);
  // In a serverInfo reply, the fields after the team scores are: target score, state, ranked, PunkBuster, password,
  // uptime, round time, and others that depend on the game.
  const tail = words.slice(AT_TEAMS + 1 + scores);
  const [, , , , password, , , ...rest] = tail;
  if (password === 'true' || password === 'false') status.password = password === 'true';
  const address = BAD_COMPANY_MODS.includes(rest[0] ?? '') ? rest[2] : rest[0];
  const port = Number(GAME_ADDRESS.exec(address ?? '')?.[1] ?? 0);
  if (port > 0 && port <= 65535) status.connectPort = port;
  return status;
}

/** Parses a player list. It consists of the field names, the number of players, and the field values of each player. */
function readPlayers(words: string[]): RawPlayer[] {
  const width = wholeNumber(words[0], MAX_FIELDS);
  const fields = words.slice(1, 1 + width);
  const count = wholeNumber(words[1 + width], MAX_PLAYERS);
  const values = words.slice(2 + width);
  const [name, score] = [fields.indexOf('name'), fields.indexOf('score')];
  if (name < 0) throw new MalformedReply('players without names');
  if (values.length !== count * width)
    throw new MalformedReply(`${values.length} words for ${count} players`);
  return Array.from({ length: count }, (_, i) => {
    const player: RawPlayer = { name: values[i * width + name] ?? '' };
    const points = score < 0 ? undefined : values[i * width + score];
    if (points !== undefined && SCORE.test(points)) player.score = Number(points);
    return player;
  });
}

function wholeNumber(word: string | undefined, max: number): number {
  if (word === undefined || !WHOLE_NUMBER.test(word) || Number(word) > max) {
    throw new MalformedReply(`no number: ${JSON.stringify(word?.slice(0, 20))}`);
  }
  return Number(word);
}

/** The protocol of Battlefield Bad Company 2, Battlefield 3, 4 and Hardline, Medal of Honor, and Warfighter. */
export const battlefield: Protocol = {
  transport: 'tcp',
  colours: 'none',
  open: context => new BattlefieldExchange(context),
};
