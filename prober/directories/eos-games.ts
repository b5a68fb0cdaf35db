/**
 * How to look up servers of one game in Epic Online Services: credentials and names of attributes. Epic stores each
 * game server as a session with attributes.
 */
export interface EosGame {
  /**
   * Client credentials of the game. They are not secret, because every copy of the game contains them. They only
   * identify the game.
   */
  clientId: string;
  clientSecret: string;
  deploymentId: string;
  /**
   * True if Epic gives tokens of this game only to registered devices. gsq then registers itself as a PC before it
   * requests a token.
   */
  byDevice?: true;
  /** True if the paths of matchmaking requests for this game start with `/wildcard`. */
  wildcard?: true;
  /** Name of the session attribute at Epic Online Services that contains the server name. */
  name: string;
  /** Name of the session attribute at Epic Online Services that contains the name of the game map. */
  map: string;
  /** Name of the session attribute at Epic Online Services that is true if the server has a password. */
  password: string;
  /**
   * Names of the session attributes at Epic Online Services that contain the parts of the game version. gsq joins the
   * parts with dots.
   */
  version: readonly string[];
}

/**
 * Games of Epic Online Services, keyed by protocol id. Source: `protocols/{asa,renown,squad,theisleevrima}.js` of
 * gamedig 5.3.3.
 */
export const eosGames: ReadonlyMap<string, EosGame> = new Map([
  [
    'asa',
    {
      clientId: 'xyza7891muomRmynIIHaJB9COBKkwj6n',
      clientSecret: 'PP5UGxysEieNfSrEicaD1N2Bb3TdXuD7xHYcsdUHZ7s',
      deploymentId: 'ad9a8feffb3b4b2ca315546f038c3ae2',
      wildcard: true,
      name: 'CUSTOMSERVERNAME_s',
      map: 'MAPNAME_s',
      password: 'SERVERPASSWORD_b',
      version: ['BUILDID_s', 'MINORBUILDID_s'],
    },
  ],
  [
    'renown',
    {
      clientId: 'xyza7891XjE03sj3B404z0iQfQ4efjUj',
      clientSecret: '2YY7STKJ5wJuFIyR8TaXaBPfhHZiAY13YuNPSIn+0WY',
      deploymentId: '472a8286c61c408ca5ca1ec0401f07b7',
      byDevice: true,
      name: 'SERVERNAME_s',
      map: 'MAPNAME_s',
      password: 'PASSWORD_b',
      version: ['SERVERVERSION_s'],
    },
  ],
  [
    'squad',
    {
      clientId: 'xyza7891J7d3GU8ZIwCoC5xdBsdoqVWA',
      clientSecret: '4SLVBqAm09q776SIlQRTD6moM/bnGAWhDSqOxJAIS0s',
      deploymentId: '5dee4062a90b42cd98fcad618b6636c2',
      byDevice: true,
      name: 'SERVERNAME_s',
      map: 'MAPNAME_s',
      password: 'PASSWORD_b',
      version: ['GAMEVERSION_s'],
    },
  ],
  [
    'theisleevrima',
    {
      clientId: 'xyza7891gk5PRo3J7G9puCJGFJjmEguW',
      clientSecret: 'pKWl6t5i9NJK8gTpVlAxzENZ65P8hYzodV8Dqe5Rlc8',
      deploymentId: '6db6bea492f94b1bbdfcdfe3e4f898dc',
      name: 'SERVERNAME_s',
      map: 'MAP_NAME_s',
      password: 'SERVERPASSWORD_b',
      version: ['SERVER_VERSION_s'],
    },
  ],
]);
