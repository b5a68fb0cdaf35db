import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import { decodeSessionRequest } from '../../proto/generated/codec/probe.ts';
import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';

/** Returns the fields of a payload that a prober reports for a server that answered. */
export function payloadFields(change: Partial<ServerPayload__Output> = {}): ServerPayload__Output {
  return {
    name: 'One "quoted" ☃',
    map: 'de_dust2',
    players: 3,
    maxplayers: 16,
    numbots: 1,
    password: false,
    version: '1.0',
    ping: 27,
    connect: '1.2.3.4:27015',
    updated: null,
    playerList: [{ name: 'Ann', score: -2, time: 61 }],
    ...change,
  };
}

/** Encodes a payload with proto-loader and decodes it as the core does for a received report. */
export function reported(payload: ServerPayload__Output): ReportedPayload {
  const request = { reports: { reports: [{ payload }] } };
  const received = decodeSessionRequest(gsqV1.SessionRequest.serialize(request));
  const read = received.reports?.reports[0]?.payload;
  if (!read) throw new Error('a report without its payload');
  return read;
}

/**
 * Returns a payload (the status data of a game server) as the core receives it from a prober. `change`: fields that
 * replace default values.
 */
export function payloadOf(change: Partial<ServerPayload__Output> = {}): ReportedPayload {
  return reported(payloadFields(change));
}
