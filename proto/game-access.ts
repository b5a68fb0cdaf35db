import { isGamePort } from '../net/targets.ts';
import type { Need } from './catalog.ts';

/** Data that a query of one server needs in addition to the address. */
export interface ServerAccess {
  /** A password, key or token of the server; empty if there is none. */
  readonly secret: string;
  /** Values of the options of the server, keyed by option name: `guild`, `query_port` ... */
  readonly options: ReadonlyMap<string, string>;
}

/**
 * How a query uses a secret or an option. `needed`: a query is not possible without the secret or option. `taken`: the
 * secret or option is optional.
 */
type Wish = 'needed' | 'taken';

/** The rule for the servers of one protocol: whether a query uses a secret, and which options a query uses. */
export interface AccessRule {
  /** How a query uses the secret of the server. Absent if the protocol does not use secrets. */
  readonly secret?: Wish;
  /**
   * How a query uses each option of the server, keyed by option name. Does not contain `query_port`, which every
   * protocol accepts.
   */
  readonly options: Readonly<Record<string, Wish>>;
}

/** Maximum length of the secret of a server, in UTF-8 bytes. */
export const MAX_SECRET_BYTES = 4096;
/** Maximum number of options of one server. */
export const MAX_OPTIONS = 16;
/** Maximum number of characters of an option name that an error message shows. */
const MAX_NAME = 32;
/** Maximum number of characters in the value of a server option. */
const MAX_VALUE = 256;

/** Name of the option that sets the query port. It overrides the query ports of the game. */
export const QUERY_PORT = 'query_port';

/**
 * For each protocol (name as in catalog.json): whether queries use the secret of a server, and which options they use.
 * See "Passwords and options" in docs/protocols.md.
 */
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

/**
 * Allowed form of the value of each server option. The forms are strict, because probers put the values into URLs,
 * commands and headers.
 */
const FORMS: Readonly<Record<string, { pattern: RegExp; meaning: string }>> = {
  account_id: { pattern: /^\d{1,20}$/, meaning: 'the number of an account' },
  guild: { pattern: /^\d{15,20}$/, meaning: 'the id of a guild, 15 to 20 digits' },
  query_port: { pattern: /^\d{1,5}$/, meaning: 'a port that game servers use' },
  server_id: { pattern: /^[A-Za-z0-9_-]{1,64}$/, meaning: 'the id of a server' },
  username: { pattern: /^[^:\p{C}]+$/u, meaning: 'a name without colons and control characters' },
  verify_tls: { pattern: /^(yes|no)$/, meaning: 'yes or no' },
};

/** A secret or option that must be set before a server can be queried. `what` describes it for people. */
export interface MissingAccess {
  readonly need: 'credentials' | 'option';
  readonly what: string;
}

/** Returns the rule for a protocol: whether its queries use a secret, and which options they use. */
export function accessRule(protocol: string): AccessRule {
  return RULES.get(protocol) ?? NOTHING;
}

/** Returns the kinds of data that a query with this protocol requires: `credentials`, `option`, both or neither. */
export function neededAccess(protocol: string): Need[] {
  const { secret, options } = accessRule(protocol);
  const needs: Need[] = secret === 'needed' ? ['credentials'] : [];
  return Object.values(options).includes('needed') ? [...needs, 'option'] : needs;
}

/** Returns the first required secret or option that is not set. Returns undefined if nothing is missing. */
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

/** Returns only the stored secret and options that the server's protocol uses. */
export function takenAccess(protocol: string, { secret, options }: ServerAccess): ServerAccess {
  const rule = accessRule(protocol);
  return {
    secret: rule.secret ? secret : '',
    options: new Map([...options].filter(([name]) => isTaken(rule, name))),
  };
}

/** Returns the query port that an operator set for a server, or undefined if none is set. */
export function givenQueryPort(options: ReadonlyMap<string, string> | undefined): number | undefined {
  const port = options?.get(QUERY_PORT);
  return port === undefined ? undefined : Number(port);
}

/**
 * Describes why a secret is invalid for servers of a protocol. Returns undefined if it is valid. The text never
 * contains the secret.
 */
export function secretFault(protocol: string, secret: string): string | undefined {
  if (!accessRule(protocol).secret) return 'servers of this game take no secret';
  if (secret === '') return 'the secret is empty';
  if (Buffer.byteLength(secret) > MAX_SECRET_BYTES)
    return `the secret has more than ${MAX_SECRET_BYTES} bytes`;
  if (/[\p{Cc}\p{Cs}\ufffd\u2028\u2029]/u.test(secret))
    return 'the secret has line ends or control characters, or is no UTF-8';
  return undefined;
}

/**
 * Describes why an option is invalid for servers of a protocol. Returns undefined if it is valid. An empty value of a
 * known option is valid, because it removes the option.
 */
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

/** Parses `name=value`, the form of options in a command. Returns undefined if the text does not have that form. */
export function readOption(text: string): [name: string, value: string] | undefined {
  const [, name, value] = /^([a-z_]{1,32})=(.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}

function isTaken({ options }: AccessRule, name: string): boolean {
  return name === QUERY_PORT || Object.hasOwn(options, name);
}
