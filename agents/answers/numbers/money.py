"""Currencies of final answers, by sign, code or word."""

import re

_DOLLARS = frozenset({"USD", "AUD", "CAD", "NZD", "HKD", "SGD"})
_EACH: dict[str, frozenset[str]] = {
    "$ dollar buck": _DOLLARS,
    "usd us$": frozenset({"USD"}),
    "a$ au$ aud": frozenset({"AUD"}),
    "c$ ca$ cad": frozenset({"CAD"}),
    "nz$ nzd": frozenset({"NZD"}),
    "hk$ hkd": frozenset({"HKD"}),
    "s$ sgd": frozenset({"SGD"}),
    "r$ brl real reais": frozenset({"BRL"}),
    "€ eur euro": frozenset({"EUR"}),
    "£ gbp quid": frozenset({"GBP"}),
    "¥": frozenset({"JPY", "CNY"}),
    "jpy yen 円": frozenset({"JPY"}),
    "cny rmb yuan 元": frozenset({"CNY"}),
    "rupee rs rs.": frozenset({"INR", "PKR", "LKR", "NPR"}),
    "₹ inr": frozenset({"INR"}),
    "₩ krw": frozenset({"KRW"}),
    "₽ rub ruble rouble": frozenset({"RUB"}),
    "chf franc": frozenset({"CHF"}),
    "₺ lira": frozenset({"TRY"}),
    "₪ shekel": frozenset({"ILS"}),
    "₱ php": frozenset({"PHP"}),
    "peso": frozenset({"MXN", "PHP", "ARS", "CLP", "COP"}),
    "฿ thb baht": frozenset({"THB"}),
    "₫ vnd dong": frozenset({"VND"}),
    "₦ naira": frozenset({"NGN"}),
    "zł pln zloty": frozenset({"PLN"}),
    "sek nok dkk kr krona kronor": frozenset({"SEK", "NOK", "DKK"}),
    "zar rand": frozenset({"ZAR"}),
}
CURRENCIES: dict[str, frozenset[str]] = {sign: codes for signs, codes in _EACH.items() for sign in signs.split()}
"""Signs and words in small letters, singular → the currencies that they may mean."""
CENTS: dict[str, frozenset[str]] = {
    "cent": _DOLLARS | {"EUR"},
    "¢": _DOLLARS,
    "pence": frozenset({"GBP"}),
    "penny": frozenset({"GBP", "USD"}),
    "pennie": frozenset({"GBP", "USD"}),
}
"""Hundredths of them."""
_COUNTRIES = {"us": "usd", "u.s.": "usd", "american": "usd", "canadian": "cad", "australian": "aud"}
_WORD = re.compile(r" ?(?:(?P<country>us|u\.s\.|american|canadian|australian) (?=dollars?\b))?(?P<word>[^\W\d_]+)")
_SIGN = re.compile(r" ?(?P<sign>[$€£¥₹₩₽₺₪₱฿₫₦¢])")


def money_behind(text: str, at: int) -> tuple[str, int]:
    """The currency that stands at a position behind a number, as the tables have it, and where it ends; "" if none."""
    if sign := _SIGN.match(text, at):
        return sign["sign"], sign.end()
    found = _WORD.match(text[at : at + 40].casefold())
    if found is None:
        return "", at
    word = found["word"] if len(found["word"]) < 4 else found["word"].removesuffix("s")
    if found["country"]:
        word = _COUNTRIES[found["country"]]
    return (word, at + found.end()) if word in CURRENCIES or word in CENTS else ("", at)


def currency_of(written: str) -> str:
    """A sign or code before a number as the tables have it."""
    return written.strip().casefold().removesuffix(".")


def codes(currency: str) -> frozenset[str]:
    """The currencies that a sign or word may mean."""
    return CENTS.get(currency) or CURRENCIES.get(currency, frozenset())
