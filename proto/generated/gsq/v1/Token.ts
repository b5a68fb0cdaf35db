// Original file: gsq/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface Token {
  /**
   * Public id of the token. It is not secret, so logs can contain it.
   */
  'id'?: (string);
  /**
   * FREE or PRO.
   */
  'tier'?: (string);
  'email'?: (string);
  'createdAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Expiry time; absent if the token never expires.
   */
  'expiresAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Time of the revocation; absent if the token is not revoked.
   */
  'revokedAt'?: (_google_protobuf_Timestamp | null);
  /**
   * IP addresses or CIDR ranges that callers must come from. An empty list allows all addresses.
   */
  'allowIps'?: (string)[];
  /**
   * Domains whose web pages are allowed to use the token; their subdomains are included. An empty list allows all.
   */
  'allowDomains'?: (string)[];
  /**
   * Number of requests charged within the last 24 hours.
   */
  'used'?: (number);
  /**
   * Maximum number of requests within 24 hours; 0 means no limit.
   */
  'quota'?: (number);
  /**
   * Time of the last use; absent if the token was never used. A kill of the core loses the uses of at most one minute.
   */
  'lastUsedAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Time until which the previous secret stays valid; absent if there is no valid previous secret.
   */
  'previousSecretUntil'?: (_google_protobuf_Timestamp | null);
}

export interface Token__Output {
  /**
   * Public id of the token. It is not secret, so logs can contain it.
   */
  'id': (string);
  /**
   * FREE or PRO.
   */
  'tier': (string);
  'email': (string);
  'createdAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Expiry time; absent if the token never expires.
   */
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Time of the revocation; absent if the token is not revoked.
   */
  'revokedAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * IP addresses or CIDR ranges that callers must come from. An empty list allows all addresses.
   */
  'allowIps': (string)[];
  /**
   * Domains whose web pages are allowed to use the token; their subdomains are included. An empty list allows all.
   */
  'allowDomains': (string)[];
  /**
   * Number of requests charged within the last 24 hours.
   */
  'used': (number);
  /**
   * Maximum number of requests within 24 hours; 0 means no limit.
   */
  'quota': (number);
  /**
   * Time of the last use; absent if the token was never used. A kill of the core loses the uses of at most one minute.
   */
  'lastUsedAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Time until which the previous secret stays valid; absent if there is no valid previous secret.
   */
  'previousSecretUntil': (_google_protobuf_Timestamp__Output | null);
}
