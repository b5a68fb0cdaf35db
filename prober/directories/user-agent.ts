import { ConfigError } from '../../runtime/config.ts';
import { packageVersion } from '../../runtime/version.ts';

/** Characters that a header comment (RFC 9110, 5.6.5) may contain unescaped. */
const CONTACT = /^[\x20-\x27\x2a-\x5b\x5d-\x7e]{1,200}$/;

/**
 * The User-Agent header for directories: the project and its operator. Throws ConfigError if the contact
 * cannot be sent.
 */
export function userAgent(contact: string | undefined): string {
  const project = `gsq/${packageVersion()}`;
  if (contact === undefined) return project;
  if (!CONTACT.test(contact)) {
    throw new ConfigError(
      `GSQ_CONTACT: "${contact.slice(0, 200)}" cannot be sent in a header; write up to 200 characters of ASCII without ( ) \\, such as an e-mail address`,
    );
  }
  return `${project} (${contact})`;
}
