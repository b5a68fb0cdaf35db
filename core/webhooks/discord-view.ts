import { splitKey } from '../servers/server-record.ts';
import type { QueuedDelivery } from './delivery.ts';
import type { DiscordView } from './discord-form.ts';

/** The keys of a server's payload (core/render/payload.ts) that a Discord message shows. */
interface ShownPayload {
  name?: string;
  map?: string;
  players?: number;
  maxplayers?: number;
  _updater?: { status: DiscordView['status']; reason?: string; last_online_at: string | null };
}

/** Returns what a Discord message shows for a delivery. `gameName` returns the name of a game in the catalog. */
export function discordView(
  { event, server, after }: Pick<QueuedDelivery, 'event' | 'server' | 'after'>,
  gameName: (gameId: string) => string,
): DiscordView {
  const [gameId, address] = splitKey(server);
  const payload = (JSON.parse(after) ?? {}) as ShownPayload;
  const { status = 'pending', reason, last_online_at: lastOnline = null } = payload._updater ?? {};
  return {
    headline: headlineOf(event, payload, status, reason),
    game: gameId === '' ? 'gsq' : gameName(gameId),
    address: address || 'no server',
    status,
    name: payload.name ?? '',
    map: payload.map ?? '',
    players: payload.players,
    maxPlayers: payload.maxplayers,
    updatedAt: lastOnline === null ? 0 : Date.parse(lastOnline),
  };
}

function headlineOf(
  event: QueuedDelivery['event'],
  { map = '', players = 0 }: ShownPayload,
  status: string,
  reason = 'unknown',
): string {
  switch (event) {
    case 'test':
      return 'This is a test of the webhook.';
    case 'map':
      return `The map is now ${map}.`;
    case 'full':
      return 'The server is full.';
    case 'empty':
      return 'The server is empty.';
    case 'players_over':
      return `${players} players are on the server.`;
    default:
      return status === 'offline' ? `The server is offline (${reason}).` : `The server is ${status}.`;
  }
}
