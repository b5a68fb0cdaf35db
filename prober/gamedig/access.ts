import type { ServerAccess } from '../../proto/game-access.ts';

/** Credentials and options of a server, in the form that gamedig expects. */
export interface GamedigAccess {
  /** Options for a gamedig query. The names are those of gamedig, for example `login`. */
  readonly options: Readonly<Record<string, string | boolean>>;
  /** Secret of the server, which must never be shown; empty if the server has no secret. */
  readonly secret: string;
}

type Translate = (access: ServerAccess) => GamedigAccess['options'];

/** Default user name for the API of a Palworld server. The API accepts only this user. */
const PALWORLD_USER = 'admin';
/** Default user name for a Trackmania server. The server has three accounts, and this account has the fewest rights. */
const NADEO_USER = 'User';

/**
 * Functions that convert the secret and the options of a server to gamedig's options, keyed by protocol. Source:
 * GAMES_LIST.md and `protocols/` of gamedig 5.3.3.
 */
const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  // For Farming Simulator, gamedig puts the secret (its option `token`) into a URL without encoding it. Therefore the
  // secret is encoded here as a URL component.
  ['farmingsimulator', ({ secret }) => ({ token: encodeURIComponent(secret) })],
  ['nadeo', ({ secret, options }) => ({ login: options.get('username') ?? NADEO_USER, password: secret })],
  [
    'palworld',
    ({ secret, options }) => ({ username: options.get('username') ?? PALWORLD_USER, password: secret }),
  ],
  [
    'satisfactory',
    ({ secret, options }) => ({
      rejectUnauthorized: options.get('verify_tls') === 'yes',
      ...(secret !== '' && { token: secret }),
    }),
  ],
  ['terraria', ({ secret }) => ({ ...(secret !== '' && { token: secret }) })],
]);

/**
 * Translates the secret and the options of a server for gamedig. Returns undefined if the protocol takes neither a
 * secret nor options.
 */
export function gamedigAccess(protocol: string, access: ServerAccess): GamedigAccess | undefined {
  const options = TRANSLATIONS.get(protocol)?.(access);
  return options && { options, secret: access.secret };
}
