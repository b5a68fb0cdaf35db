import { fetchHead } from '../bench/requests.ts';
import { randomNumbers } from '../system/random-numbers.ts';

export const GAME = 'csgo';
/** Sizes of the fetch requests: `share` percent of the requests contain `servers` servers each. */
const MIX = [
  { share: 80, servers: 1 },
  { share: 18, servers: 10 },
  { share: 2, servers: 100 },
] as const;
const REQUESTS = 1_000;

/** Returns the body of a fetch request for servers with these addresses. */
export const bodyOf = (addresses: readonly string[]): string =>
  JSON.stringify({ servers: [{ game_id: GAME, servers: addresses }] });

/**
 * Builds random fetch requests with the sizes in MIX, the same in every run. `addresses` must contain at least a
 * hundred addresses, the size of the largest request.
 */
export function requestsFor(addresses: readonly string[]): string[] {
  const below = randomNumbers(17);
  const distinct = (count: number): string[] => {
    const chosen = new Set<string>();
    while (chosen.size < count) chosen.add(addresses[below(addresses.length)] ?? '');
    return [...chosen];
  };
  return Array.from({ length: REQUESTS }, () => {
    let drawn = below(100);
    const { servers } =
      MIX.find(({ share }) => {
        drawn -= share;
        return drawn < 0;
      }) ?? MIX[0];
    const body = bodyOf(distinct(servers));
    return `${fetchHead}${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
}
