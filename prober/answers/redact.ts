/** Text that gsq shows in place of a secret, for example in an error message. */
const REDACTED = '(hidden)';

/** Replaces all occurrences of a secret in a text, both in plain form and in URL-encoded form. */
export function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const forms = [secret, encodeURIComponent(secret), new URLSearchParams({ x: secret }).toString().slice(2)];
  return forms.reduce((shown, form) => shown.replaceAll(form, REDACTED), text);
}
