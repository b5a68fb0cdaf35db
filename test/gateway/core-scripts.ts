import type { Allowance } from '../../proto/generated/gsq/v1/Allowance.ts';
import type { FetchCall__Output } from '../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply } from '../../proto/generated/gsq/v1/FetchReply.ts';
import { type ServiceError, toRpcStatus } from '../../proto/service-error.ts';

/**
 * A function that returns the reply of a fake core to a call. If the function returns undefined, the core never
 * replies.
 */
export type Script = (call: FetchCall__Output) => Omit<FetchReply, 'id'> | undefined;

/** Rate limits in every reply of a fake core that accepts all calls. */
export const allowances: Allowance[] = [
  { policy: 'burst', limit: 50, remaining: 49, windowSeconds: 1, resetSeconds: 1 },
  { policy: 'day', limit: 1440, remaining: 1400, windowSeconds: 86400, resetSeconds: 77 },
];

/** Payload for each server in the replies of a fake core that accepts all calls. */
export const payload = Buffer.from('{"name":"One","players":3}');
/** The object `_meta` in every fetch result of a fake core that accepts all calls. */
export const meta = Buffer.from('{"auto_inserted":0,"inserted_servers":[],"invalid_servers":[]}');

/**
 * Returns an uncompressed fetch result as the core sends it: JSON with one payload per address, and `_meta` at the end.
 */
export function renderedFetch(
  servers: readonly { server: string; payload: Buffer }[],
  report: Buffer,
): { body: Buffer } {
  const members = servers.map(({ server, payload: shown }) => `${JSON.stringify(server)}:${shown},`);
  return { body: Buffer.from(`{${members.join('')}"_meta":${report}}`) };
}

/** Makes a fake core accept all credentials, and answer each fetch with one payload per address. */
export const agreeable: Script = call => {
  if (call.action === 'check') return { allowances, checked: {} };
  const asked = new Set(call.fetch?.servers.flatMap(group => group.servers));
  const servers = [...asked].map(server => ({ server, payload }));
  return { allowances, fetched: renderedFetch(servers, meta) };
};

/**
 * Makes a fake core (`ScriptedCore`) refuse every call with `error`. Each reply also contains `left`, the caller's rate
 * limits.
 */
export function refusing(error: ServiceError, left: Allowance[] = []): Script {
  return () => ({ allowances: left, error: toRpcStatus(error) });
}
