import { settings } from '../config/settings'
import { columns } from './command'

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
