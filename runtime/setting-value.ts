import { isIP } from 'node:net';
import { ConfigError, type Definition, type SettingValues } from './config.ts';
import type { Endpoint } from './endpoint.ts';
import type { LogFormat } from './log.ts';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const DURATION_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PERIOD_MS: Record<string, number> = { h: DURATION_MS.h, d: DURATION_MS.d, y: 365 * DURATION_MS.d };
const SIZE_BYTES: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/**
 * Parses `host:port`, `[v6]:port` or `:port` (all interfaces). Throws ConfigError if the text has none of these forms.
 */
function parseEndpoint(text: string, name: string): Endpoint {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const isBadIPv6 = match?.[1] !== undefined && isIP(match[1]) !== 6;
  if (!match || port > 65535 || isBadIPv6) {
    throw new ConfigError(`${name}: "${text}" is not an address; write host:port, such as 127.0.0.1:8080`);
  }
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

function parseQuantity(text: string, name: string, units: Record<string, number>, example: string): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text);
  const unit = Object.hasOwn(units, match?.[2] ?? '') ? units[match?.[2] ?? ''] : undefined;
  if (!match || unit === undefined) {
    throw new ConfigError(
      `${name}: "${text}" is not valid; write a number and a unit (${Object.keys(units).join(', ')}), for example ${example}`,
    );
  }
  const value = Number(match[1]) * unit;
  if (value > Number.MAX_SAFE_INTEGER) throw new ConfigError(`${name}: "${text}" is too large`);
  return value;
}

/** Longest delay of a timer in milliseconds. With a longer delay, Node fires the timer immediately. */
const MAX_DURATION_MS = 2 ** 31 - 1;

function parseDuration(text: string, name: string): number {
  return parseQuantity(text, name, DURATION_MS, '10s');
}

function parseInteger(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new ConfigError(`${name}: "${text}" is not a number; write digits only, such as 10`);
  return Number(text);
}

function parseLevel(text: string, name: string): string {
  if (!LEVELS.includes(text)) throw new ConfigError(`${name}: "${text}" is not one of ${LEVELS.join(', ')}`);
  return text;
}

function parseFormat(text: string, name: string): LogFormat {
  if (text !== 'json' && text !== 'text')
    throw new ConfigError(`${name}: "${text}" is not a form of log lines; write json or text`);
  return text;
}

// Refuses an empty text as the value of a setting, because an empty secret or path is nearly always a mistake in a
// script.
function parseText(text: string, name: string): string {
  if (text === '') throw new ConfigError(`${name}: is empty; give it a value or leave it out`);
  return text;
}

/** True if a text consists of printable ASCII characters. HTTP headers and gRPC metadata carry no other characters. */
export function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Throws ConfigError if a text cannot be the value of an HTTP header. The message does not contain the text. */
function checkSecret(text: string, name: string): void {
  if (!isPrintable(text)) {
    throw new ConfigError(
      `${name}: contains characters other than printable ASCII; choose a different secret`,
    );
  }
  // Refuses a text that begins or ends with a space, because Node's HTTP/2 does not send a header with such a value.
  if (text.startsWith(' ') || text.endsWith(' '))
    throw new ConfigError(`${name}: has a space at the start or end; remove the space`);
}

const parsers: { [K in keyof SettingValues]: (text: string, name: string) => SettingValues[K] } = {
  address: parseEndpoint,
  duration: parseDuration,
  period: (text, name) => parseQuantity(text, name, PERIOD_MS, '30d'),
  size: (text, name) => parseQuantity(text, name, SIZE_BYTES, '64MiB'),
  integer: parseInteger,
  text: parseText,
  list: text =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  level: parseLevel,
  format: parseFormat,
};

/**
 * Parses the text of a setting and checks its limits. Throws ConfigError if the text is invalid. The message contains
 * the name of the setting.
 */
export function parseSetting(
  name: string,
  definition: Definition,
  text: string,
): SettingValues[keyof SettingValues] {
  const shown = definition.secret ? '(hidden)' : text;
  if (definition.secret) checkSecret(text, name);
  const value = parsers[definition.kind](text, name);
  const max = definition.max ?? (definition.kind === 'duration' ? MAX_DURATION_MS : Number.POSITIVE_INFINITY);
  if (typeof value === 'number' && value > max) {
    const most = definition.kind === 'duration' ? `${Math.floor(max / (DURATION_MS.d ?? 1))}d` : max;
    throw new ConfigError(`${name}: "${shown}" is too large; at most ${most}`);
  }
  if (typeof value === 'number' && definition.min !== undefined && value < definition.min) {
    throw new ConfigError(
      `${name}: "${shown}" is too small; at least ${definition.min}${['duration', 'period'].includes(definition.kind) ? 'ms' : ''} is needed`,
    );
  }
  if (definition.minLength !== undefined && text.length < definition.minLength) {
    throw new ConfigError(`${name}: is too short; at least ${definition.minLength} characters are needed`);
  }
  return value;
}
