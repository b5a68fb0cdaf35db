import type { Allowance } from '../../proto/generated/gsq/v1/Allowance.ts';
import type { FetchCall__Output } from '../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply } from '../../proto/generated/gsq/v1/FetchReply.ts';
import { type ServiceError, toRpcStatus } from '../../proto/service-error.ts';

/** Returns the reply of a scripted core to a call. If it returns undefined, the core never replies to this call. */
export type Script = (call: FetchCall__Output) => Omit<FetchReply, 'id'> | undefined;

/** The allowances (rate limits) of a token in most scripts. */
export const allowances: Allowance[] = [
  { policy: 'burst', limit: 50, remaining: 49, windowSeconds: 1, resetSeconds: 1 },
  { policy: 'day', limit: 1440, remaining: 1400, windowSeconds: 86400, resetSeconds: 77 },
];

/** The payload of every server in the replies. */
export const payload = Buffer.from('{"name":"One","players":3}');
/** The `_meta` object in the replies. */
export const meta = Buffer.from('{"auto_inserted":0,"inserted_servers":[],"invalid_servers":[]}');

/** Returns a fetch result in the form that the core sends: JSON with a payload for each address, not compressed. */
export function renderedFetch(
  servers: readonly { server: string; payload: Buffer }[],
  report: Buffer,
): { body: Buffer } {
  const members = servers.map(({ server, payload: shown }) => `${JSON.stringify(server)}:${shown},`);
  return { body: Buffer.from(`{${members.join('')}"_meta":${report}}`) };
}

/** A script that accepts every credential check, and answers every fetch with one payload for each address. */
export const agreeable: Script = call => {
  if (call.action === 'check') return { allowances, checked: {} };
  const asked = new Set(call.fetch?.servers.flatMap(group => group.servers));
  const servers = [...asked].map(server => ({ server, payload }));
  return { allowances, fetched: renderedFetch(servers, meta) };
};

/** Returns a script that answers every call with an error. */
export function refusing(error: ServiceError, left: Allowance[] = []): Script {
  return () => ({ allowances: left, error: toRpcStatus(error) });
}
