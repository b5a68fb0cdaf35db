// The TCP query of TeamSpeak 2. Sources: ts2.c of https://github.com/Unity-Technologies/qstat and
// src/GameQ/Protocols/Teamspeak2.php of https://github.com/Austinb/GameQ

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';
import { TextLines } from './text-lines.ts';

const GREETING = '[TS]';
const OK = 'OK';
const ERROR = 'ERROR';
const MAX_BYTES = 256 * 1024;
/**
 * Maximum number of lines that a server may send in one connection. With more lines, the reply is malformed. The limit
 * is high, because a player list has one line for each player.
 */
const MAX_LINES = 4096;
const WHOLE_NUMBER = /^\d{1,9}$/;
const QUOTED = /^"(.*)"$/;

/**
 * The commands that gsq sends to a TeamSpeak 2 server. `sel` selects the voice server, `si` requests its info, `gi` the
 * global info, and `pl` the players.
 */
type Question = 'sel' | 'si' | 'gi' | 'pl';

class Teamspeak2Exchange implements StreamExchange {
  readonly #voicePort: number;
  readonly #lines = new TextLines(MAX_BYTES, MAX_LINES);
  #greeted = false;
  /** Commands that the server has not answered yet. The server answers them in this order. */
  #asked: Question[] = [];
  #answer: string[] = [];
  #status: RawStatus | undefined;

  constructor(voicePort: number) {
    this.#voicePort = voicePort;
  }

  /**
   * Sends nothing at the start of the connection, because the server sends its greeting first. If the greeting is not
   * TeamSpeak's, gsq sends no commands.
   */
  request(): Buffer[] {
    return [];
  }

  receive(chunk: Buffer): Step {
    const step = strictly(() => this.#lines.read(chunk, line => this.#readLine(line)));
    // If a reply after the server info is malformed, gsq reports the data of the replies before it.
    return step.kind === 'malformed' && this.#status ? { kind: 'done', status: this.#status } : step;
  }

  partial(): RawStatus | undefined {
    return this.#status;
  }

  #readLine(line: string): Step {
    if (!this.#greeted) {
      if (line !== GREETING) throw new MalformedReply('no TS greeting');
      this.#greeted = true;
      this.#asked = ['sel', 'si', 'gi'];
      return { kind: 'send', packets: [Buffer.from(`sel ${this.#voicePort}\nsi\ngi\n`)] };
    }
    const isError = line.startsWith(ERROR);
    if (line !== OK && !isError) {
      this.#answer.push(line);
      return MORE;
    }
    const question = this.#asked.shift();
    const answer = this.#answer;
    this.#answer = [];
    // Ignores an error reply to `gi` (global info), because the version from the global info is optional.
    if (isError && question !== 'gi') throw new MalformedReply(`${question}: ${line}`);
    return this.#readAnswer(question, answer);
  }

  #readAnswer(question: Question | undefined, answer: string[]): Step {
    if (question === 'si') this.#status = readServerInfo(answer);
    if (!this.#status || question === 'si') return MORE;
    if (question === 'pl')
      return { kind: 'done', status: { ...this.#status, playerList: readPlayers(answer) } };
    const version = readFields(answer).get('total_server_version');
    if (version !== undefined) this.#status.version = version;
    if (this.#status.players === 0) return { kind: 'done', status: this.#status };
    this.#asked = ['pl'];
    return { kind: 'send', packets: [Buffer.from('pl\n')] };
  }
}

function readServerInfo(lines: string[]): RawStatus {
  const info = readFields(lines);
  const text = (key: string): string => {
    const value = info.get(`server_${key}`);
    if (value === undefined) throw new MalformedReply(`no server_${key}`);
    return value;
  };
  const count = (key: string): number => wholeNumber(text(key), key);
  return {
    name: text('name'),
    players: count('currentusers'),
    maxplayers: count('maxusers'),
    password: text('password') !== '0',
    connectPort: count('udpport'),
  };
}

/**
 * Parses a player list. The first line contains the column names, and each further line contains one player. Strings
 * are in quotation marks.
 */
function readPlayers([head = '', ...lines]: string[]): RawPlayer[] {
  const columns = head.split('\t');
  const [name, time] = [columns.indexOf('nick'), columns.indexOf('logintime')];
  if (name < 0) throw new MalformedReply('players without names');
  return lines.map(line => {
    const cells = line.split('\t');
    const nick = cells[name];
    if (nick === undefined) throw new MalformedReply('a player without a name');
    const player: RawPlayer = { name: QUOTED.exec(nick)?.[1] ?? nick };
    const seconds = cells[time];
    if (seconds !== undefined && WHOLE_NUMBER.test(seconds)) player.time = Number(seconds);
    return player;
  });
}

/** Parses reply lines of the format `key=value`. Ignores other lines. */
function readFields(lines: string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const equals = line.indexOf('=');
    if (equals > 0) fields.set(line.slice(0, equals), line.slice(equals + 1));
  }
  return fields;
}

function wholeNumber(value: string, key: string): number {
  if (!WHOLE_NUMBER.test(value)) throw new MalformedReply(`no number server_${key}`);
  return Number(value);
}

/**
 * The protocol of TeamSpeak 2. gsq connects to the query port, and requests the status of the voice server that players
 * join at the join port.
 */
export const teamspeak2: Protocol = {
  transport: 'tcp',
  colours: 'none',
  open: context => new Teamspeak2Exchange(context.joinPort),
};
