import type { RestUpdater } from '../../../client/rest-types.generated.ts';

/**
 * Explains each reason why a server is pending or offline (docs/errors.md), in words for people who do not run the
 * service.
 */
const TEXTS: Readonly<Record<NonNullable<RestUpdater['reason']>, string>> = {
  unprobed: 'Not asked yet.',
  no_reply: 'Does not answer.',
  refused: 'Refuses the connection: no game server runs at this address.',
  malformed: 'Answers, but not in the language of this game.',
  unresolvable_host: 'The host name does not exist.',
  blocked_address: 'The operator of this service does not allow this address.',
  needs_credentials: 'Cannot be asked without a password or key.',
  needs_option: 'Cannot be asked without further settings.',
  directory_unavailable: 'The public server list of this game cannot be reached.',
  directory_refused: 'The public server list of this game refuses to answer.',
  not_listed: 'Is not in the public server list of this game.',
  paced: 'Waits for its turn.',
  prober_unavailable: 'This service cannot ask game servers at the moment.',
};

/** Returns why a server is pending or offline. Returns an empty text if the reason is unknown. */
export function reasonText(reason: string | undefined): string {
  return reason !== undefined && Object.hasOwn(TEXTS, reason) ? TEXTS[reason as keyof typeof TEXTS] : '';
}
