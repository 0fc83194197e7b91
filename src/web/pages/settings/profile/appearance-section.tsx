import { useSyncExternalStore } from 'react'
import { keepSetting } from '../../../data/cache/kept'
import { updatePreferences, usePreferences } from '../../../data/me'
import { setTheme, type Theme, useTheme } from '../../../data/theme'
import { Check } from '../../../parts/check'
import { notifyProblem } from '../../../parts/notices'

const themes: [Theme, string, string][] = [
  ['system', 'System', 'Follows the setting of your device.'],
  ['light', 'Light', 'Dark text on a light background.'],
  ['dark', 'Dark', 'Light text on a dark background.'],
]

/** The theme and what is kept, stored in this browser, and preferences, stored on the server. */
export const AppearanceSection = () => (
  <>
    <ThemeChoice />
    <WritingPreferences />
    <KeepChoice />
  </>
)

function ThemeChoice() {
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

function WritingPreferences() {
  const { enter_sends } = usePreferences()
  const change = (checked: boolean) =>
    updatePreferences({ enter_sends: checked }).catch((error) => notifyProblem('The setting was not saved.', error))
  return (
    <fieldset className="choices">
      <legend>Writing</legend>
      <Check
        label="Enter sends messages in threads"
        hint="Shift+Enter starts a new line. When this is off, Enter starts a new line, and Ctrl+Enter or ⌘Enter sends. On phones, Enter always starts a new line."
        checked={enter_sends}
        onChange={(event) => void change(event.target.checked)}
      />
      <p className="meta">This setting applies to all your devices.</p>
    </fieldset>
  )
}

function KeepChoice() {
  const isKept = useSyncExternalStore(keepSetting.subscribe, keepSetting.get)
  return (
    <fieldset className="choices">
      <legend>On this device</legend>
      <Check
        label="Keep what you have read on this device"
        hint="Pages that you have opened appear at once, and without a connection. They are kept for at most 7 days, and erased when you sign out. Turn this off on a device that you share."
        checked={isKept}
        onChange={(event) => keepSetting.set(event.target.checked)}
      />
      <p className="meta">This setting is stored in this browser.</p>
    </fieldset>
  )
}
