// The ServerQuery protocol of TeamSpeak 3. Source: doc/serverquery in the package of the server, also at
// https://www.yumpu.com/en/document/view/9298749/teamspeak-3-server-query-manualpdf. TeaSpeak servers use the same
// protocol, but each operator can choose the greeting (`query.motd` in config.yml).

import type { Unknowable } from '../answers/answer.ts';
import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import {
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Protocol,
  type Step,
  type StreamExchange,
  strictly,
} from './protocol.ts';
import { TextLines } from './text-lines.ts';

/** Greetings that gsq accepts as the first line from a server: TeamSpeak's greeting and TeaSpeak's default greeting. */
const GREETINGS = ['TS3', 'TeaSpeak'];
/** Maximum number of bytes in one connection. A list of a thousand clients takes about 90 KiB. */
const MAX_BYTES = 256 * 1024;
/** Maximum number of lines in one connection. It suffices for all replies and a long welcome text. */
const MAX_LINES = 64;
const MAX_CLIENTS = 4096;

/** Client type of a person who uses the voice server. (Type 1 is a query program such as gsq.) */
const VOICE_CLIENT = '0';
const ESCAPED: Record<string, string> = {
  s: ' ',
  p: '|',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const ESCAPES: Record<string, string> = { '\\': '\\', '/': '/', ' ': 's', '|': 'p' };
const WHOLE_NUMBER = /^\d{1,9}$/;
const ERROR_LINE = /^error id=(\d{1,10}) msg=(\S*)(.*)/;
/** Matches the waiting time in an error message such as `you may retry in 600 seconds` or `please wait 1 seconds`. */
const PAUSE = /\b(\d{1,6}) seconds\b/;

type Question = 'login' | 'use' | 'serverinfo' | 'clientlist';

/** Default user name for the login. Every TeamSpeak 3 server has this account. */
const DEFAULT_USER = 'serveradmin';
/**
 * Error numbers of TeamSpeak, each with the outcome that gsq reports. A server that sends one of these numbers is
 * running, but refuses the query.
 */
const REFUSALS = new Map<string, Unknowable['kind']>([
  ['520', 'needs-credentials'], // server error "invalid loginname or password"
  ['2568', 'needs-credentials'], // server error "insufficient client permissions"
  ['524', 'paced'], // server error "client is flooding"
  ['3329', 'directory-refused'], // server error "connection failed, you are banned"
  ['3331', 'directory-refused'], // server error "flood ban"
]);

class Teamspeak3Exchange implements StreamExchange {
  readonly #voicePort: number;
  /** The login command. Undefined if no secret is set for the server, because gsq then queries it as a guest. */
  readonly #login: string | undefined;
  readonly #lines = new TextLines(MAX_BYTES, MAX_LINES);
  #greeted = false;
  /** Commands that the server has not answered yet. The server answers them in this order. */
  #asked: Question[] = [];
  #answer = '';
  #status: RawStatus | undefined;

  constructor({ joinPort, secret, options }: ExchangeContext) {
    this.#voicePort = joinPort;
    if (secret) this.#login = `login ${escaped(options?.get('username') ?? DEFAULT_USER)} ${escaped(secret)}`;
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
    // If the client list is malformed or refused, gsq reports the status without it.
    const isFailure = step.kind === 'malformed' || step.kind === 'unknowable';
    return isFailure && this.#status ? { kind: 'done', status: this.#status } : step;
  }

  partial(): RawStatus | undefined {
    return this.#status;
  }

  #readLine(line: string): Step {
    const [, id, message = '', more = ''] = ERROR_LINE.exec(line) ?? [];
    const detail = `${this.#asked[0] ?? 'greeting'}: ${unescaped(message)} (${id})`;
    const refusal = REFUSALS.get(id ?? '');
    // Checks for an error first, because a server that bans gsq sends an error instead of its greeting.
    if (refusal) throw new UnknowableError(refusal, detail, pauseMs(unescaped(more)));
    if (!this.#greeted) return this.#greet(line);
    if (id === undefined) {
      // Keeps only the last line before the result line (`error id=…`), because it contains the data. Earlier lines can
      // be other text, such as a welcome text.
      this.#answer = line;
      return MORE;
    }
    if (id !== '0') throw new MalformedReply(detail);
    return this.#readAnswer();
  }

  #greet(line: string): Step {
    if (!GREETINGS.includes(line)) throw new MalformedReply('no TS3 greeting');
    this.#greeted = true;
    const commands = [`use port=${this.#voicePort}`, 'serverinfo'];
    this.#asked = ['use', 'serverinfo'];
    if (this.#login !== undefined) {
      commands.unshift(this.#login);
      this.#asked.unshift('login');
    }
    return { kind: 'send', packets: [Buffer.from(`${commands.join('\n')}\n`)] };
  }

  /** Reads the reply to a successful command. */
  #readAnswer(): Step {
    const question = this.#asked.shift();
    const answer = this.#answer;
    this.#answer = '';
    if (question === 'serverinfo') {
      this.#status = readServerInfo(answer);
      if (this.#status.players === 0) return { kind: 'done', status: this.#status };
      this.#asked = ['clientlist'];
      return { kind: 'send', packets: [Buffer.from('clientlist\n')] };
    }
    if (question === 'clientlist' && this.#status) {
      return { kind: 'done', status: { ...this.#status, playerList: readClients(answer) } };
    }
    return MORE;
  }
}

function readServerInfo(line: string): RawStatus {
  const info = readFields(line);
  const count = (key: string) => wholeNumber(info.get(`virtualserver_${key}`), key);
  const clients = count('clientsonline');
  const queryClients = count('queryclientsonline');
  if (queryClients > clients) throw new MalformedReply(`${queryClients} query clients of ${clients}`);
  const name = info.get('virtualserver_name');
  if (name === undefined) throw new MalformedReply('no name');
  const status: RawStatus = {
    name,
    players: clients - queryClients,
    maxplayers: count('maxclients'),
    connectPort: count('port'),
  };
  const version = info.get('virtualserver_version');
  if (version !== undefined) status.version = version;
  const password = info.get('virtualserver_flag_password');
  if (password !== undefined) status.password = password === '1';
  return status;
}

function readClients(line: string): RawPlayer[] {
  const clients = line.split('|', MAX_CLIENTS).map(readFields);
  return clients
    .filter(client => client.get('client_type') === VOICE_CLIENT)
    .map(client => ({ name: client.get('client_nickname') ?? '' }));
}

/**
 * Parses the fields of a reply line, which are separated by spaces. A field is `key=value`, or only `key` if the value
 * is empty.
 */
function readFields(line: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const field of line.split(' ')) {
    const equals = field.indexOf('=');
    if (equals < 0) fields.set(field, '');
    else fields.set(field.slice(0, equals), unescaped(field.slice(equals + 1)));
  }
  return fields;
}

/** Escapes a parameter of a command, so that the parameter cannot end the command. */
function escaped(text: string): string {
  return text.replace(/[\\/ |]/g, char => `\\${ESCAPES[char]}`);
}

/** Decodes escape sequences such as `\s` (space). `\\` becomes a backslash and `\/` a slash. */
function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter);
}

/** Returns the waiting time that an error message contains, milliseconds. Returns undefined if it contains none. */
function pauseMs(words: string): number | undefined {
  const seconds = PAUSE.exec(words)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function wholeNumber(text: string | undefined, key: string): number {
  if (text === undefined || !WHOLE_NUMBER.test(text)) throw new MalformedReply(`no number ${key}`);
  return Number(text);
}

/**
 * The protocol of TeamSpeak 3. gsq connects to the query port, and requests the status of the voice server that players
 * join at the join port.
 */
export const teamspeak3: Protocol = {
  transport: 'tcp',
  colours: 'none',
  open: context => new Teamspeak3Exchange(context),
};
