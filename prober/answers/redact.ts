/** Text that replaces a secret. */
const REDACTED = '(hidden)';

/** Replaces every occurrence of a secret in a text: its plain form and its URL-encoded forms. */
export function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const forms = [secret, encodeURIComponent(secret), new URLSearchParams({ x: secret }).toString().slice(2)];
  return forms.reduce((shown, form) => shown.replaceAll(form, REDACTED), text);
}
