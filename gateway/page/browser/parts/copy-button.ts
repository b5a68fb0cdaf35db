/** Time in milliseconds for which the copy button shows whether it has copied the code. */
const SAID_MS = 2_000;

/**
 * Adds a button below a code element. The button copies the code. Adds no button if the page has no access to the
 * clipboard.
 */
export function addCopyButton(code: HTMLElement): void {
  // The clipboard is missing if the page has neither https nor a loopback address, because browsers then give no access
  // to it.
  if (!navigator.clipboard) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-describedby', code.getAttribute('aria-labelledby') ?? '');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not copied';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SAID_MS);
  });
  code.after(button);
}
