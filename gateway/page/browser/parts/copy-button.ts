/** Time for which a button says that it has copied, ms. */
const SAID_MS = 2_000;

/** Adds a button below some code that copies the code. Adds none if the page may not write to the clipboard. */
export function addCopyButton(code: HTMLElement): void {
  // Browsers have a clipboard only on pages with https, or of this machine.
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
