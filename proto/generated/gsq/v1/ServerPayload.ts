// Original file: gsq/v1/server.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { Player as _gsq_v1_Player, Player__Output as _gsq_v1_Player__Output } from '../../gsq/v1/Player.ts';

/**
 * Data from the last answer of a game server. proto/payload-fields.ts describes each field and must contain the same
 * fields.
 */
export interface ServerPayload {
  'name'?: (string);
  'map'?: (string);
  /**
   * Number of players; absent if the server does not report it.
   */
  'players'?: (number);
  /**
   * Maximum number of players; absent if the server does not report it.
   */
  'maxplayers'?: (number);
  'numbots'?: (number);
  'password'?: (boolean);
  'version'?: (string);
  /**
   * Round-trip time of the query, in milliseconds.
   */
  'ping'?: (number);
  /**
   * Address to join, as `host:port`. In a report, an empty text stands for the server's own address.
   */
  'connect'?: (string);
  /**
   * Time when the last successful probe ended. Never set in a report.
   */
  'updated'?: (_google_protobuf_Timestamp | null);
  'playerList'?: (_gsq_v1_Player)[];
  '_players'?: "players";
  '_maxplayers'?: "maxplayers";
}

/**
 * Data from the last answer of a game server. proto/payload-fields.ts describes each field and must contain the same
 * fields.
 */
export interface ServerPayload__Output {
  'name': (string);
  'map': (string);
  /**
   * Number of players; absent if the server does not report it.
   */
  'players'?: (number);
  /**
   * Maximum number of players; absent if the server does not report it.
   */
  'maxplayers'?: (number);
  'numbots': (number);
  'password': (boolean);
  'version': (string);
  /**
   * Round-trip time of the query, in milliseconds.
   */
  'ping': (number);
  /**
   * Address to join, as `host:port`. In a report, an empty text stands for the server's own address.
   */
  'connect': (string);
  /**
   * Time when the last successful probe ended. Never set in a report.
   */
  'updated': (_google_protobuf_Timestamp__Output | null);
  'playerList': (_gsq_v1_Player__Output)[];
  '_players'?: "players";
  '_maxplayers'?: "maxplayers";
}
