/**
 * Where games keep one list of all their servers, which gamedig 5.3.3 fetches whole for each server it is asked for. (Those
 * it asks about one server are not among them.)
 */
const LISTS: ReadonlySet<string> = new Set([
  'http://geneshift.net/game/receiveLobby.php',
  'https://api.alt-mp.com/servers',
  'https://backend.beammp.com/servers-info',
  'https://bp.userr00t.com/serverbrowser/api/server',
  'https://brokeprotocol.com/servers.json',
  'https://cdn.rage.mp/master/v2/',
  'https://masterserver.vintagestory.at/api/v1/servers/list',
  'https://serverlist-rx.totemarts.services/servers.jsp',
  'https://servers.minetest.net/list',
]);
/** Servers are probed about once a minute; so often a list is fetched for all of them. */
const FRESH_MS = 60_000;
/** A directory that does not answer is left alone for so long. */
const FAILED_MS = 10_000;

/** The part of gamedig's protocols that fetches by HTTP. */
export interface Requester {
  request(params: { url: string; method?: string }): Promise<unknown>;
}

interface Fetched {
  until: number;
  body: Promise<unknown>;
}

/**
 * Makes every protocol of gamedig fetch a list of servers once a minute, for all that ask in it. `requester` is the
 * prototype they inherit; `now` in milliseconds, monotonic.
 */
export function shareLists(requester: Requester, now: () => number): void {
  const request = requester.request;
  const lists = new Map<string, Fetched>();
  requester.request = function (this: Requester, params): Promise<unknown> {
    const { url, method = 'GET' } = params;
    if (method !== 'GET' || !LISTS.has(url)) return Reflect.apply(request, this, [params]);
    const last = lists.get(url);
    if (last && now() < last.until) return last.body;
    const fetched: Fetched = { until: now() + FRESH_MS, body: Reflect.apply(request, this, [params]) };
    lists.set(url, fetched);
    fetched.body.catch(() => {
      fetched.until = now() + FAILED_MS;
    });
    return fetched.body;
  };
}
