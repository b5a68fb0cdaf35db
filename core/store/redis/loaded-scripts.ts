import { PUT_SCRIPT, RAISE_SCRIPT, type Script, WRITE_SCRIPT } from './scripts.ts';
import { CLAIM_SCRIPT, GIVE_SCRIPT, LEAVE_SCRIPT, RENEW_SCRIPT } from './table-scripts.ts';

/** The Lua scripts that a new connection loads into its node of Redis or Valkey. */
export const SCRIPTS: readonly Script[] = [
  PUT_SCRIPT,
  WRITE_SCRIPT,
  RAISE_SCRIPT,
  RENEW_SCRIPT,
  CLAIM_SCRIPT,
  GIVE_SCRIPT,
  LEAVE_SCRIPT,
];
