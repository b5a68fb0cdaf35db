// Parses A2S_RULES: https://developer.valvesoftware.com/wiki/Server_queries#A2S_RULES

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** Length of the header: `-1` and the type byte. */
const HEADER_BYTES = 5;
const WHOLE_NUMBER = /^\d{1,9}$/;

/** Rules by their keys in lower case. */
export type Rules = ReadonlyMap<string, string>;

/** A game whose rules correct what A2S_INFO tells wrong. */
export interface RulesDialect {
  /**
   * True if A2S_INFO is wrong about name or players. Then the rules are asked every time instead of the
   * players, and are required. If false, they only tell the version, and are asked while the version is
   * unknown.
   */
  essential: boolean;
  /** Returns the status with the values of the rules. Throws MalformedReply if a required rule is missing. */
  amend(status: RawStatus, rules: Rules): RawStatus;
}

/** Parses the rules, whose type byte is `E`. Throws MalformedReply. */
export function parseRules(message: Buffer): Rules {
  const reader = new ByteReader(message, HEADER_BYTES);
  const rules = new Map<string, string>();
  for (let left = reader.u16(); left > 0; left--) rules.set(reader.cstring().toLowerCase(), reader.cstring());
  reader.end();
  return rules;
}

/** Returns the status with this version instead of A2S_INFO's, or without a version. */
export function withVersion(status: RawStatus, version: string | undefined): RawStatus {
  const { version: _, ...others } = status;
  return version === undefined ? others : { ...others, version };
}

/** Reads a required rule as text. Throws MalformedReply if it is missing. */
export function textRule(rules: Rules, key: string): string {
  const value = rules.get(key);
  if (value === undefined) throw new MalformedReply(`no rule ${key}`);
  return value;
}

/** Reads a required rule as a count. Throws MalformedReply if it is missing or not a count. */
export function countRule(rules: Rules, key: string): number {
  const value = textRule(rules, key);
  if (!WHOLE_NUMBER.test(value)) throw new MalformedReply(`rule ${key} is no number`);
  return Number(value);
}
