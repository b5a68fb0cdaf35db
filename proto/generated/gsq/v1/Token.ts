// Original file: gsq/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface Token {
  /**
   * Public name of the token; safe to log.
   */
  'id'?: (string);
  /**
   * FREE or PRO.
   */
  'tier'?: (string);
  'email'?: (string);
  'createdAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Absent: never.
   */
  'expiresAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Absent: not revoked.
   */
  'revokedAt'?: (_google_protobuf_Timestamp | null);
  /**
   * IP addresses or CIDR ranges; empty allows all.
   */
  'allowIps'?: (string)[];
  /**
   * Host names, each with its subdomains; empty allows all.
   */
  'allowDomains'?: (string)[];
  /**
   * Requests charged within the last 24 hours.
   */
  'used'?: (number);
  /**
   * Requests it may make in any 24 hours; 0: any number.
   */
  'quota'?: (number);
  /**
   * Absent: never. Up to a minute of it may be lost when the core is killed.
   */
  'lastUsedAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Until when the secret before the newest is valid too; absent: it is not.
   */
  'previousSecretUntil'?: (_google_protobuf_Timestamp | null);
}

export interface Token__Output {
  /**
   * Public name of the token; safe to log.
   */
  'id': (string);
  /**
   * FREE or PRO.
   */
  'tier': (string);
  'email': (string);
  'createdAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Absent: never.
   */
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Absent: not revoked.
   */
  'revokedAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * IP addresses or CIDR ranges; empty allows all.
   */
  'allowIps': (string)[];
  /**
   * Host names, each with its subdomains; empty allows all.
   */
  'allowDomains': (string)[];
  /**
   * Requests charged within the last 24 hours.
   */
  'used': (number);
  /**
   * Requests it may make in any 24 hours; 0: any number.
   */
  'quota': (number);
  /**
   * Absent: never. Up to a minute of it may be lost when the core is killed.
   */
  'lastUsedAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Until when the secret before the newest is valid too; absent: it is not.
   */
  'previousSecretUntil': (_google_protobuf_Timestamp__Output | null);
}
