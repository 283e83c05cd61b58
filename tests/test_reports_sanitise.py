from tests.synthetic import Plan
def test_x(): assert Plan().n == 6
