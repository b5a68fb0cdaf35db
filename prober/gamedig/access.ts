import type { ServerAccess } from '../../proto/game-access.ts';

/** What gamedig is asked with beside an address: options by its own names, and the secret among them. */
export interface GamedigAccess {
  readonly options: Readonly<Record<string, string | boolean>>;
  /** Not to be told to anybody; empty if there is none. */
  readonly secret: string;
}

type Translate = (access: ServerAccess) => GamedigAccess['options'];

/** Palworld's API has this user alone. */
const PALWORLD_USER = 'admin';
/** Of the three accounts of a Trackmania server the one with the fewest rights. */
const NADEO_USER = 'User';

/**
 * By protocol, and never a name that came from outside: gamedig takes `host`, `protocol` and others from its options
 * too. Source: GAMES_LIST.md and `protocols/` of gamedig 5.3.3.
 */
const TRANSLATIONS: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  // It becomes part of a URL as it is.
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

/** What gamedig is told of a server's secret and options; undefined if its protocol takes neither. */
export function gamedigAccess(protocol: string, access: ServerAccess): GamedigAccess | undefined {
  const options = TRANSLATIONS.get(protocol)?.(access);
  return options && { options, secret: access.secret };
}
