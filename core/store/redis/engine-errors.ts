import { NewerStore, StoreDamage } from '../store-damage.ts';
import { UnusableEngine } from './check-engine.ts';
import { EngineReplyError } from './engine-connection.ts';
import { EngineUrlError } from './engine-url.ts';

/** Classes of errors whose message already explains what is wrong with the store. */
const EXPLAINED = [EngineUrlError, UnusableEngine, NewerStore, StoreDamage];

/**
 * Returns the error to report if a store cannot be opened because of `error`. `shown`: URL of the store for the
 * message, without secrets.
 */
export function openError(error: unknown, shown: string): unknown {
  if (EXPLAINED.some(type => error instanceof type)) return error;
  return new Error(`the store at ${shown} cannot be opened: ${explain(error)}`, { cause: error });
}

/**
 * Returns a text that explains an error of Redis or Valkey. It says what the operator can do, if this is known.
 * Otherwise it is the message of the error.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isFull = error instanceof EngineReplyError && error.code === 'OOM';
  return isFull
    ? 'the memory of the storage engine is full: raise its maxmemory, or add nodes to the cluster'
    : error.message;
}
