import type { RestTrackedPayload } from '../../../../client/rest-types.generated.ts';
import type { ShownServer } from '../../../../gateway/page/views/shown-server.ts';

/**
 * Texts that a hostile game server can send as its name: markup, marks that change the text direction, only invisible
 * characters, or a very long text.
 */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  ']]></svg></article></li></ul>&lt;&#x3c;',
  '\u202egnp.exe\u2066',
  '\u200b\u200e',
  '\u3164\u115f\u2800\ufe0f',
  '\u0000\u0008\ufffe\uffff',
  'x'.repeat(10_000),
  'مرحبا 👾 \ud800',
];

/**
 * Returns an online server. All texts that a game server chooses (name, map, version and player name) are `text`.
 */
export function serverWith(text: string): ShownServer {
  return onlineWith(text);
}

/** Returns the same server as `serverWith`, with the type of a server that has answered. */
export function onlineWith(text: string): RestTrackedPayload {
  return {
    game_id: 'csgo',
    server: '127.0.0.1:27015',
    name: text,
    map: text,
    players: 3,
    maxplayers: 10,
    numplayers: 3,
    numbots: 1,
    password: true,
    version: text,
    ping: 5,
    connect: '127.0.0.1:27015',
    updated: '2026-11-24 00:00:00',
    raw: { numbots: 1, players: [{ name: text, score: 1, time: 61 }] },
    _updater: {
      status: 'online',
      firewall_interval_minutes: 1,
      firewall_label: 'none',
      next_probe_at: null,
      last_probe_at: '2026-11-24T00:00:00.000Z',
      last_online_at: '2026-11-24T00:00:00.000Z',
    },
  };
}
