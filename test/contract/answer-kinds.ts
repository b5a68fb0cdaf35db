import { type Answer, ask } from '../gateway/ask.ts';
import { FETCH, GAMES, type Group, post, postFetch } from './rest.ts';

/**
 * Server list of a fetch request that always gets the same answer. The only address in the list is invalid, so no
 * server data can change the answer.
 */
export const constantGroups: Group[] = [{ game_id: 'csgo', servers: ['nonsense'] }];

/**
 * Sends requests that get different kinds of answers: successes, and errors with different error codes. Returns the
 * answers, keyed by kind (such as `fetch`) or error code. All requests have `headers`.
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
