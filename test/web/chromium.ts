import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CANDIDATES = [
  process.env.PARLEY_CHROMIUM,
  // Without windows, it needs a third less CPU time for each page.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Features that Playwright disables, too, as a later flag overrides its own, and features that load pages of the browser itself. */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
]

const ARGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-site-isolation-trials',
  `--disable-features=${DISABLED_FEATURES}`,
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]

const find = () => CANDIDATES.find((place) => place && existsSync(place))

/** Starts a headless browser. Its scrollbars take no space unless asked for. */
export const startBrowser = async ({ hasScrollbars = false } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    headless: true,
    args: ARGS,
    ...(hasScrollbars && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
  })

/** The path of Chromium. */
function chromiumPath(): string {
  ensureChromium()
  const found = find()
  if (!found) throw new Error('The tests in the browser need Chromium: install it, or name it in PARLEY_CHROMIUM.')
  return found
}

/** Installs a Chromium if there is none and no password is needed. */
export function ensureChromium() {
  if (find()) return
  const isRoot = process.getuid?.() === 0
  if (!Bun.which('apt-get') || !(isRoot || Bun.which('sudo'))) return
  console.log('Installing Chromium for the tests in the browser …')
  const apt = (...words: string[]) =>
    Bun.spawnSync([...(isRoot ? [] : ['sudo', '-n']), 'apt-get', '-qq', ...words], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  apt('update')
  // Not every distribution has the first.
  for (const name of ['chromium-headless-shell', 'chromium'])
    if (!find()) apt('install', '-y', '--no-install-recommends', name, 'fonts-liberation')
}
