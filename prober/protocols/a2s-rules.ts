// A2S_RULES. https://developer.valvesoftware.com/wiki/Server_queries#A2S_RULES

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** `-1` and the type byte. */
const HEADER_BYTES = 5;
const WHOLE_NUMBER = /^\d{1,9}$/;

/** Keys are in lower case. */
export type Rules = ReadonlyMap<string, string>;

/** A game that puts into its rules what A2S_INFO tells wrong. */
export interface RulesDialect {
  /**
   * Whether A2S_INFO is wrong about name or players. Then rules are asked every time, in place of the players, and
   * there is no status without them. Otherwise they tell the version alone, and are asked while it is not known.
   */
  essential: boolean;
  /** The status with what the rules tell. Throws MalformedReply if a rule is missing that it cannot do without. */
  amend(status: RawStatus, rules: Rules): RawStatus;
}

/** The rules, the message's type byte being `E`. Throws MalformedReply. */
export function parseRules(message: Buffer): Rules {
  const reader = new ByteReader(message, HEADER_BYTES);
  const rules = new Map<string, string>();
  for (let left = reader.u16(); left > 0; left--) rules.set(reader.cstring().toLowerCase(), reader.cstring());
  reader.end();
  return rules;
}

/** The status with this version in place of A2S_INFO's, or without any. */
export function withVersion(status: RawStatus, version: string | undefined): RawStatus {
  const { version: _, ...others } = status;
  return version === undefined ? others : { ...others, version };
}

/** A rule that has to be there. Throws MalformedReply. */
export function textRule(rules: Rules, key: string): string {
  const value = rules.get(key);
  if (value === undefined) throw new MalformedReply(`no rule ${key}`);
  return value;
}

/** A rule that has to be a count. Throws MalformedReply. */
export function countRule(rules: Rules, key: string): number {
  const value = textRule(rules, key);
  if (!WHOLE_NUMBER.test(value)) throw new MalformedReply(`rule ${key} is no number`);
  return Number(value);
}
