import { settings } from '../config'
import { columns } from './command'

/** The settings, for those who ask for help. */
export const settingsHelp = (): string =>
  [
    'Settings are environment variables:',
    ...columns(
      Object.entries(settings).map(([name, { help, fallback }]) => [
        name,
        fallback ? `${help} Default: ${fallback}` : help,
      ]),
    ),
  ].join('\n')
