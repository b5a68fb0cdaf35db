import type { RestTrackedPayload, RestTrackedServer } from '../../../client/rest-types.generated.ts';
import { shownText } from './shown-text.ts';

/** A tracked server in the form in which the API returns it: an entry of `GET /v1/servers`, or the data of an event. */
export type ShownServer = RestTrackedServer;

/** True if the server has answered at least once, so that its data is known. */
export function hasAnswered(server: ShownServer): server is RestTrackedPayload {
  return 'name' in server;
}

/** Returns the name of a server. Returns its address if the server has no visible name, or has never answered. */
export function nameOf(server: ShownServer): string {
  return hasAnswered(server) ? shownText(server.name, server.server) : server.server;
}

/** Returns the path of the page of a server. */
export function serverPath({ game_id: gameId, server }: Pick<ShownServer, 'game_id' | 'server'>): string {
  return `/server/${encodeURIComponent(gameId)}/${encodeURIComponent(server)}`;
}
