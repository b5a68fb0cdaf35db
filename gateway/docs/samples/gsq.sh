npx gsq servers add counterstrike2 127.0.1.1:27515
npx gsq servers list --game counterstrike2
