import { type Answer, ask } from '../gateway/ask.ts';
import { FETCH, GAMES, type Group, post, postFetch } from './rest.ts';

/** Groups for a fetch whose answer never changes, because the only address is invalid. */
export const constantGroups: Group[] = [{ game_id: 'csgo', servers: ['nonsense'] }];

/**
 * Returns one answer of each kind: a success and an error of both endpoints, and the error for an unknown path. All
 * requests have these headers.
 */
export async function answerKinds(
  http: string,
  headers: Record<string, string>,
): Promise<Record<string, Answer>> {
  return {
    games: await ask(http, { path: GAMES, headers }),
    fetch: await postFetch(http, constantGroups, headers),
    GET_1: await ask(http, { method: 'DELETE', path: GAMES, headers }),
    POST_1: await ask(http, { path: FETCH, headers }),
    POST_2: await post(http, { body: '{', headers }),
    AUTH_1: await ask(http, { method: 'POST', path: FETCH, headers }),
    ROUTE_1: await ask(http, { path: '/nowhere', headers }),
  };
}
