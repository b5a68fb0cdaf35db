import { isGamePort } from '../net/targets.ts';
import type { Need } from './catalog.ts';

/** What one server is asked with beside its address. */
export interface ServerAccess {
  /** A password, key or token of the server; empty: none. */
  readonly secret: string;
  /** By name: `guild`, `query_port` ... */
  readonly options: ReadonlyMap<string, string>;
}

/** `needed`: a server cannot be asked without it. `taken`: it may be given. */
type Wish = 'needed' | 'taken';

/** What asking servers of one protocol takes beside their address. */
export interface AccessRule {
  /** Absent: the protocol has no use for a secret. */
  readonly secret?: Wish;
  /** By name of the option; `query_port`, which every protocol takes, is not among them. */
  readonly options: Readonly<Record<string, Wish>>;
}

/** Most bytes of a secret, as UTF-8. */
export const MAX_SECRET_BYTES = 4096;
/** Most options of one server. */
export const MAX_OPTIONS = 16;
/** Most characters of an option's name that are repeated to whoever wrote it. */
const MAX_NAME = 32;
/** Most characters of an option's value. */
const MAX_VALUE = 256;

/** The port to ask, whatever ports the game asks otherwise. */
export const QUERY_PORT = 'query_port';

/** By protocol, as catalog.json names it. What each is for is told in docs/protocols.md, "Passwords and options". */
const RULES: ReadonlyMap<string, AccessRule> = new Map<string, AccessRule>([
  ['altvmp', { options: { server_id: 'taken' } }],
  ['brokeprotocol', { options: { server_id: 'taken' } }],
  ['discord', { options: { guild: 'needed' } }],
  ['farmingsimulator', { secret: 'needed', options: {} }],
  ['hawakening', { secret: 'needed', options: { server_id: 'needed', username: 'taken' } }],
  ['nadeo', { secret: 'needed', options: { username: 'taken' } }],
  ['palworld', { secret: 'needed', options: { username: 'taken' } }],
  ['satisfactory', { secret: 'taken', options: { verify_tls: 'taken' } }],
  ['scpsl', { secret: 'needed', options: { account_id: 'needed', server_id: 'taken' } }],
  ['teamspeak3', { secret: 'taken', options: { username: 'taken' } }],
  ['terraria', { secret: 'taken', options: {} }],
]);

const NOTHING: AccessRule = { options: {} };

/** Values become parts of URLs, of commands and of headers, so each option takes only what it can mean. */
const FORMS: Readonly<Record<string, { pattern: RegExp; meaning: string }>> = {
  account_id: { pattern: /^\d{1,20}$/, meaning: 'the number of an account' },
  guild: { pattern: /^\d{15,20}$/, meaning: 'the id of a guild, 15 to 20 digits' },
  query_port: { pattern: /^\d{1,5}$/, meaning: 'a port that game servers use' },
  server_id: { pattern: /^[A-Za-z0-9_-]{1,64}$/, meaning: 'the id of a server' },
  username: { pattern: /^[^:\p{C}]+$/u, meaning: 'a name without colons and control characters' },
  verify_tls: { pattern: /^(yes|no)$/, meaning: 'yes or no' },
};

/** What somebody has to give before a server can be asked, `what` for people. */
export interface MissingAccess {
  readonly need: 'credentials' | 'option';
  readonly what: string;
}

/** What servers of a protocol are asked with. */
export function accessRule(protocol: string): AccessRule {
  return RULES.get(protocol) ?? NOTHING;
}

/** What of `needs` in the catalog follows from a protocol. */
export function neededAccess(protocol: string): Need[] {
  const { secret, options } = accessRule(protocol);
  const needs: Need[] = secret === 'needed' ? ['credentials'] : [];
  return Object.values(options).includes('needed') ? [...needs, 'option'] : needs;
}

/** The first thing a server cannot be asked without and that nobody gave; undefined if nothing is missing. */
export function missingAccess(
  protocol: string,
  secret: string,
  options: ReadonlyMap<string, string> | undefined,
): MissingAccess | undefined {
  const rule = RULES.get(protocol);
  if (!rule) return undefined;
  if (rule.secret === 'needed' && secret === '') return { need: 'credentials', what: 'a secret' };
  for (const [name, wish] of Object.entries(rule.options)) {
    if (wish === 'needed' && !options?.has(name)) return { need: 'option', what: `the option ${name}` };
  }
  return undefined;
}

/** Those parts of what is known of a server that its protocol has a use for. */
export function takenAccess(protocol: string, { secret, options }: ServerAccess): ServerAccess {
  const rule = accessRule(protocol);
  return {
    secret: rule.secret ? secret : '',
    options: new Map([...options].filter(([name]) => isTaken(rule, name))),
  };
}

/** The port that an operator named, if one did. */
export function givenQueryPort(options: ReadonlyMap<string, string> | undefined): number | undefined {
  const port = options?.get(QUERY_PORT);
  return port === undefined ? undefined : Number(port);
}

/** What is wrong with a secret for servers of a protocol, for people; undefined if nothing. Never tells the secret. */
export function secretFault(protocol: string, secret: string): string | undefined {
  if (!accessRule(protocol).secret) return 'servers of this game take no secret';
  if (secret === '') return 'the secret is empty';
  if (Buffer.byteLength(secret) > MAX_SECRET_BYTES)
    return `the secret has more than ${MAX_SECRET_BYTES} bytes`;
  if (/[\p{Cc}\p{Cs}\ufffd\u2028\u2029]/u.test(secret))
    return 'the secret has line ends or control characters, or is no UTF-8';
  return undefined;
}

/** What is wrong with an option for servers of a protocol; undefined if nothing. An empty value takes an option away. */
export function optionFault(protocol: string, name: string, value: string): string | undefined {
  const rule = accessRule(protocol);
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (form && value === '') return undefined;
  if (!form || !isTaken(rule, name)) {
    const known = [...Object.keys(rule.options), QUERY_PORT].join(', ');
    return `servers of this game take no option "${name.slice(0, MAX_NAME)}", only ${known}`;
  }
  const fits = value.length <= MAX_VALUE && form.pattern.test(value);
  return fits && (name !== QUERY_PORT || isGamePort(Number(value)))
    ? undefined
    : `the option ${name} must be ${form.meaning}`;
}

/** Reads `name=value`, as options are written in a command; undefined if it is not of that form. */
export function readOption(text: string): [name: string, value: string] | undefined {
  const [, name, value] = /^([a-z_]{1,32})=(.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}

function isTaken({ options }: AccessRule, name: string): boolean {
  return name === QUERY_PORT || Object.hasOwn(options, name);
}
