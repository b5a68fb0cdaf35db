import { APPEND_SCRIPT, READ_SCRIPT, REPLACE_SCRIPT, SET_ASIDE_SCRIPT } from './history-scripts.ts';
import { PUT_SCRIPT, RAISE_SCRIPT, type Script, TAKE_SCRIPT, WRITE_SCRIPT } from './scripts.ts';
import {
  CLAIM_SCRIPT,
  END_HOLD_SCRIPT,
  END_LEASE_SCRIPT,
  GIVE_SCRIPT,
  HOLD_SCRIPT,
  MOVE_SCRIPT,
  READ_MOVED_SCRIPT,
  RENEW_SCRIPT,
  UNMOVE_SCRIPT,
} from './table-scripts.ts';

/** The Lua scripts that gsq loads into a node of Redis or Valkey when it connects to this node. */
export const SCRIPTS: readonly Script[] = [
  PUT_SCRIPT,
  WRITE_SCRIPT,
  RAISE_SCRIPT,
  TAKE_SCRIPT,
  RENEW_SCRIPT,
  CLAIM_SCRIPT,
  GIVE_SCRIPT,
  END_LEASE_SCRIPT,
  APPEND_SCRIPT,
  REPLACE_SCRIPT,
  SET_ASIDE_SCRIPT,
  READ_SCRIPT,
  HOLD_SCRIPT,
  MOVE_SCRIPT,
  END_HOLD_SCRIPT,
  UNMOVE_SCRIPT,
  READ_MOVED_SCRIPT,
];
