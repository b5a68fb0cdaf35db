// Parses an A2S_RULES reply (the settings of a server):
// https://developer.valvesoftware.com/wiki/Server_queries#A2S_RULES

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** Length of the header of an A2S_RULES reply, bytes: the 32-bit number -1, then the type byte. */
const HEADER_BYTES = 5;
const WHOLE_NUMBER = /^\d{1,9}$/;

/** The rules (settings) of a server, keyed by rule names in lower case. */
export type Rules = ReadonlyMap<string, string>;

/**
 * Describes how gsq corrects wrong values of an A2S_INFO reply with the rules (server settings) of an A2S_RULES reply.
 */
export interface RulesDialect {
  /**
   * True if the game's A2S_INFO reply has a wrong name or player count. Each query then requests the rules instead of
   * the player list, because the rules contain the right values. False if gsq reads only the version from the rules.
   */
  essential: boolean;
  /**
   * Returns a copy of `status` that is corrected with the server settings from the A2S_RULES reply (`rules`). Throws
   * MalformedReply if a required rule is missing or invalid.
   */
  amend(status: RawStatus, rules: Rules): RawStatus;
}

/** Parses an A2S_RULES reply (type byte `E`). Throws MalformedReply if the reply is invalid. */
export function parseRules(message: Buffer): Rules {
  const reader = new ByteReader(message, HEADER_BYTES);
  const rules = new Map<string, string>();
  for (let left = reader.u16(); left > 0; left--) rules.set(reader.cstring().toLowerCase(), reader.cstring());
  reader.end();
  return rules;
}

/** Returns a copy of `status` with the version `version`. If `version` is undefined, the copy has no version. */
export function withVersion(status: RawStatus, version: string | undefined): RawStatus {
  const { version: _, ...others } = status;
  return version === undefined ? others : { ...others, version };
}

/** Returns the value of a rule that the A2S_RULES reply must contain. Throws MalformedReply if the rule is missing. */
export function textRule(rules: Rules, key: string): string {
  const value = rules.get(key);
  if (value === undefined) throw new MalformedReply(`no rule ${key}`);
  return value;
}

/**
 * Returns the value of a rule that the A2S_RULES reply must contain, as a count. Throws MalformedReply if the rule is
 * missing or its value is not a whole number.
 */
export function countRule(rules: Rules, key: string): number {
  const value = textRule(rules, key);
  if (!WHOLE_NUMBER.test(value)) throw new MalformedReply(`rule ${key} is no number`);
  return Number(value);
}
