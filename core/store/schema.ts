/**
 * Version of the store format that this release writes. Older versions:
 * - 0 had no entry with the key `m/state`.
 * - 1 (release 0.1.0) stored neither the reason for a server's status nor the credentials of servers.
 * - 2 stored the data of a server as JSON.
 * - 3 (release 0.2.0) did not store the samples of unfinished hours.
 */
export const SCHEMA = 4;
