// Original file: gsq/v1/server.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { Player as _gsq_v1_Player, Player__Output as _gsq_v1_Player__Output } from '../../gsq/v1/Player.ts';

/**
 * What a game server said when it last answered. proto/payload-fields.ts describes each field; keep both alike.
 */
export interface ServerPayload {
  'name'?: (string);
  'map'?: (string);
  /**
   * Absent if the server does not tell how many are on it.
   */
  'players'?: (number);
  /**
   * Absent if the server does not tell how many it has room for.
   */
  'maxplayers'?: (number);
  'numbots'?: (number);
  'password'?: (boolean);
  'version'?: (string);
  /**
   * Milliseconds between question and answer.
   */
  'ping'?: (number);
  /**
   * `host:port` to join. In a report, empty stands for the server's own address.
   */
  'connect'?: (string);
  /**
   * When the last successful probe ended. Never in a report.
   */
  'updated'?: (_google_protobuf_Timestamp | null);
  'playerList'?: (_gsq_v1_Player)[];
  '_players'?: "players";
  '_maxplayers'?: "maxplayers";
}

/**
 * What a game server said when it last answered. proto/payload-fields.ts describes each field; keep both alike.
 */
export interface ServerPayload__Output {
  'name': (string);
  'map': (string);
  /**
   * Absent if the server does not tell how many are on it.
   */
  'players'?: (number);
  /**
   * Absent if the server does not tell how many it has room for.
   */
  'maxplayers'?: (number);
  'numbots': (number);
  'password': (boolean);
  'version': (string);
  /**
   * Milliseconds between question and answer.
   */
  'ping': (number);
  /**
   * `host:port` to join. In a report, empty stands for the server's own address.
   */
  'connect': (string);
  /**
   * When the last successful probe ended. Never in a report.
   */
  'updated': (_google_protobuf_Timestamp__Output | null);
  'playerList': (_gsq_v1_Player__Output)[];
  '_players'?: "players";
  '_maxplayers'?: "maxplayers";
}
