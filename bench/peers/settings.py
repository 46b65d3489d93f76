"""What is tried of every engine: engine, scene, name of the setting, options of its driver.

Each list goes from the engine's defaults to what made it most accurate here, one knob after the
other; what the options mean is said on top of the driver, peer_NAME.py or peer_NAME.cpp.
"""

SETTINGS: dict[str, dict[str, dict[str, dict[str, object]]]] = {
    "haptos": {
        "slope": {
            "defaults": {},
            "beta .01": {"near_rigid": 0.01},
            "k 1e8": {"stiffness": 1e8},
            "sap": {"law": "sap"},
            "similar": {"law": "similar"},
            "lagged": {"law": "lagged"},
        },
        "stack": {
            "defaults": {},
            "beta .01": {"near_rigid": 0.01},
            "sag 1e-8, beta .01": {"sag": 1e-8, "near_rigid": 0.01},
            "sag 1e-8, beta .01, tolerance 1e-8": {"sag": 1e-8, "near_rigid": 0.01,
                                                   "force_tolerance": 1e-8},
            "k 1e8": {"stiffness": 1e8},
            "lagged": {"law": "lagged"},
        },
        "balls": {
            "defaults": {},
            "sigma .1": {"stick_compliance": 0.1},
            "sag 1e-5": {"sag": 1e-5},
            "sap": {"law": "sap"},
            "lagged": {"law": "lagged"},
        },
    },
    "mujoco": {
        "slope": {
            "defaults": {},
            "timeconst 2 dt": {"timeconst": 2},
            "elliptic, timeconst 2 dt": {"cone": "elliptic", "timeconst": 2},
            "elliptic, timeconst 2 dt, impratio 100": {"cone": "elliptic", "timeconst": 2,
                                                       "impratio": 100},
            "elliptic, timeconst 2 dt, impedance .999": {"cone": "elliptic", "timeconst": 2,
                                                         "impedance": 0.999},
            "timeconst 2 dt, impedance .9999": {"timeconst": 2, "impedance": 0.9999},
        },
        "stack": {
            "defaults": {},
            "timeconst 2 dt": {"timeconst": 2},
            "timeconst 2 dt, impedance .999": {"timeconst": 2, "impedance": 0.999},
            "elliptic, timeconst 2 dt, impedance .999": {"cone": "elliptic", "timeconst": 2,
                                                         "impedance": 0.999},
            "timeconst 2 dt, impedance .9999": {"timeconst": 2, "impedance": 0.9999},
            "PGS 100, timeconst 2 dt, impedance .999": {"timeconst": 2, "impedance": 0.999,
                                                        "solver": "PGS"},
        },
        "balls": {
            "defaults": {},
            "timeconst 2 dt": {"timeconst": 2},
            "elliptic, timeconst 2 dt": {"cone": "elliptic", "timeconst": 2},
            "elliptic, timeconst 2 dt, impedance .999": {"cone": "elliptic", "timeconst": 2,
                                                         "impedance": 0.999},
            "timeconst 2 dt, impedance .9999": {"timeconst": 2, "impedance": 0.9999},
            "timeconst 2 dt, tolerance 1e-4": {"timeconst": 2, "tolerance": 1e-4},
        },
    },
    "drake": {
        "slope": {
            "lagged, 1e7 Pa": {"modulus": 1e7},
            "lagged, 1e9 Pa": {"modulus": 1e9},
            "SAP, 1e7 Pa": {"modulus": 1e7, "law": "sap"},
            "TAMSI, 1e7 Pa": {"modulus": 1e7, "law": "tamsi"},
            "lagged, points at corners, k 1e8": {"corners": 1, "stiffness": 1e8},
            "SAP, points at corners, k 1e8": {"corners": 1, "stiffness": 1e8, "law": "sap",
                                              "relaxation_time": 0.01},
        },
        "stack": {
            "lagged, 1e7 Pa": {"modulus": 1e7},
            "lagged, 1e8 Pa": {"modulus": 1e8},
            "lagged, 1e9 Pa": {"modulus": 1e9},
            "SAP, 1e8 Pa": {"modulus": 1e8, "law": "sap", "relaxation_time": 0.01},
        },
        "balls": {
            "lagged, k 1e6": {},
            "lagged, k 1e8": {"stiffness": 1e8},
            "SAP, k 1e8": {"stiffness": 1e8, "law": "sap", "relaxation_time": 0.01},
        },
    },
    "bullet": {
        "slope": {
            "defaults": {},
            "100 iterations": {"iterations": 100},
            "100 iterations, split": {"iterations": 100, "split_from": 0},
            "split": {"split_from": 0},
            "cold": {"warm": 0},
            "NNCG 100": {"solver": "nncg", "iterations": 100},
            "Dantzig": {"solver": "dantzig"},
        },
        "stack": {
            "defaults": {},
            "100 iterations": {"iterations": 100},
            "1000 iterations": {"iterations": 1000},
            "ground a box, 100 iterations": {"ground": "box", "iterations": 100},
            "NNCG 100": {"solver": "nncg", "iterations": 100},
            "Dantzig": {"solver": "dantzig"},
        },
        "balls": {
            "defaults": {},
            "3 iterations": {"iterations": 3},
            "50 iterations": {"iterations": 50},
            "200 iterations": {"iterations": 200},
            "NNCG 50": {"solver": "nncg", "iterations": 50},
        },
    },
    "ode": {
        "slope": {
            "LCP": {"stepper": "exact"},
            "quick 20": {"iterations": 20},
            "quick 100": {"iterations": 100},
        },
        "stack": {
            "LCP": {"stepper": "exact"},
            "quick 20": {"iterations": 20},
            "quick 200": {"iterations": 200},
            "quick 1000": {"iterations": 1000},
        },
        "balls": {
            "quick 20": {"iterations": 20},
            "quick 5": {"iterations": 5},
            "quick 100": {"iterations": 100},
            "quick 500": {"iterations": 500},
        },
    },
}
