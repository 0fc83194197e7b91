import { secretFileNames } from '../config/environment'
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
    '',
    'A secret can be in a file. Set one of these variables to its path instead:',
    ...secretFileNames.map((name) => `  ${name}`),
  ].join('\n')
