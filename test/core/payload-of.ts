import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';

/** What a prober reports of a server that answered. */
export function payloadOf(change: Partial<ServerPayload__Output> = {}): ServerPayload__Output {
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
