import { setTheme, type Theme, useTheme } from '../../data/theme'
import { Check } from '../../parts/check'

const themes: [Theme, string, string][] = [
  ['system', 'System', 'Follows the setting of your device.'],
  ['light', 'Light', 'Dark text on a light background.'],
  ['dark', 'Dark', 'Light text on a dark background.'],
]

/** The theme, stored in this browser. */
export function AppearanceSection() {
  const chosen = useTheme()
  return (
    <fieldset className="choices">
      <legend>Theme</legend>
      {themes.map(([theme, label, hint]) => (
        <Check
          key={theme}
          type="radio"
          name="theme"
          label={label}
          hint={hint}
          checked={theme === chosen}
          onChange={() => setTheme(theme)}
        />
      ))}
      <p className="meta">This setting is stored in this browser.</p>
    </fieldset>
  )
}
