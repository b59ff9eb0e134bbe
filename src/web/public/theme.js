// Runs before the first paint. The same rule as core/color-scheme.ts: `darkMode` decides, otherwise the system's theme.
(() => {
  let darkMode = null;
  try {
    darkMode = localStorage.getItem('darkMode');
  } catch {
    // Storage can be blocked. Then the system's theme applies.
  }
  const dark =
    darkMode === 'true' || (darkMode !== 'false' && matchMedia('(prefers-color-scheme: dark)').matches);
  // For the browser's toolbar: the color of the site (server/site-files.ts), or the background color of theme.css.
  const toolbar = document.querySelector('meta[name="theme-color"]');
  const { light = '#fbf9f4', dark: night = '#191815' } = toolbar?.dataset ?? {};
  toolbar?.setAttribute('content', dark ? night : light);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  // Passkeys need https and a domain name, or localhost.
  const noPasskeys = window.PublicKeyCredential === undefined || /^[\d.]+$|:/u.test(location.hostname);
  document.documentElement.toggleAttribute('data-no-passkeys', noPasskeys);
})();
