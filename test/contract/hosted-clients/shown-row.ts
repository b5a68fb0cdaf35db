/**
 * What a client, such as a WordPress plugin, shows for one game server. The client was written for a hosted service
 * with the same REST API as gsq.
 */
export interface ShownRow {
  /** Address of the game server, as shown by the API client under test. */
  address: string;
  state: 'online' | 'offline' | 'unknown';
  /** Number of players on the game server, or undefined if the answer to the client does not contain it. */
  players: number | undefined;
  /** Player names that the client (for example a WordPress plugin) shows for the game server. */
  playerNames: string[];
  /** Message that the client shows instead of server data. Empty if there is data. */
  message: string;
}

/**
 * JSON fields from which a client reads the address of a game server. If the fields are missing, the client shows the
 * key under which the answer lists the server.
 */
const ADDRESS_KEYS = ['server', 'address', 'host', 'ip', 'ip_port'];
/** JSON fields from which a client reads the state of a server. If both are missing, it reads `_updater.status`. */
const STATE_KEYS = ['status', 'online'];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object in the property `key` of `value`, or an empty object if there is none. */
function objectAt(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const found = value[key];
  return isObject(found) ? found : {};
}

/**
 * Looks for `keys` in the data of a server, and then in the object `raw` of this data. Returns the value of the first
 * key that it finds.
 */
function firstOf(payload: Record<string, unknown>, keys: readonly string[]): unknown {
  for (const source of [payload, objectAt(payload, 'raw')]) {
    const key = keys.find(each => Object.hasOwn(source, each));
    if (key !== undefined) return source[key];
  }
  return undefined;
}

/**
 * Returns the state that a client shows for a server. A server without the field `updated` is never shown as online,
 * even if its status is `online`.
 */
function stateOf(payload: Record<string, unknown>): ShownRow['state'] {
  const status = firstOf(payload, STATE_KEYS) ?? objectAt(payload, '_updater').status;
  if (status === 'online') return typeof payload.updated === 'string' ? 'online' : 'offline';
  return status === 'offline' ? 'offline' : 'unknown';
}

function namesIn(payload: Record<string, unknown>): string[] {
  const { players } = objectAt(payload, 'raw');
  return Array.isArray(players) ? players.filter(isObject).map(({ name }) => String(name)) : [];
}

/**
 * Converts a fetch answer to the rows that clients show. Applies the rules of all clients, because it is unknown which
 * client uses which rule.
 */
export function rowsOf(answer: Record<string, unknown>): ShownRow[] {
  return Object.entries(answer).flatMap(([key, payload]) => {
    if (key === '_meta' || !isObject(payload)) return [];
    const { numplayers, message } = payload;
    // Clients read the number of players only from `numplayers`, and the player list only from `raw`.
    return {
      address: String(firstOf(payload, ADDRESS_KEYS) ?? key),
      state: stateOf(payload),
      players: typeof numplayers === 'number' ? numplayers : undefined,
      playerNames: namesIn(payload),
      message: typeof message === 'string' ? message : '',
    };
  });
}
